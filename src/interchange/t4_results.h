// T4, the results format of the FAIR autotuning data: https://github.com/odgaard/TuningSchema, results-schema.json.
// Text <-> RecordedSpace.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"

#include <string>

namespace warptune {

inline constexpr const char* kT4Format = "T4"; // RecordedSpace::format

// What the schema describes and what tuners write: `compilation_time` or `compilation`, `benchmark` beside them, units
// in `metadata.timeunit` or with a measurement (else milliseconds), a failure's name in place of a time. Without a
// measurement called time the median of the runtimes counts. Values of params are put in order where they are numbers.
// A file that is cut off counts as far as it goes, with a note. `text` is worked on in place. Errors (bad_input): the
// end of a sentence that begins with the file.
Result<RecordedSpace> read_t4_results(std::string& text);

// By the schema, with `timeunit`, device and tuner in `metadata`.
std::string write_t4_results(const RecordedSpace& space);

} // namespace warptune
