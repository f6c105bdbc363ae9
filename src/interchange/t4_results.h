// Reads and writes T4, the results format of the FAIR autotuning data: https://github.com/odgaard/TuningSchema,
// results-schema.json.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"

#include <string>

namespace warptune {

inline constexpr const char* kT4Format = "T4"; // the RecordedSpace::format of such a file

// Reads files that follow the schema. Also accepts variants that tuners write: `compilation` for `compilation_time`, an
// additional `benchmark`, and a failure's name in place of a time. A unit is in `metadata.timeunit` or with a
// measurement; without a unit, times are in milliseconds. If no measurement is named `time`, the median of the runtimes
// is used. Numeric values of params are sorted. A truncated file is read up to the cut, and a note reports that. `text`
// is modified. Errors (bad_input): the caller puts the file's name before the message.
Result<RecordedSpace> read_t4_results(std::string& text);

// Writes a file that follows the schema, with `timeunit`, device and tuner in `metadata`.
std::string write_t4_results(const RecordedSpace& space);

} // namespace warptune
