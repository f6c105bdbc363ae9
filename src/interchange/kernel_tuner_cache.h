// Reads and writes Kernel Tuner's cache files: https://github.com/KernelTuner/kernel_tuner, schema/cache/1.1.0.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"

#include <string>

namespace warptune {

inline constexpr const char* kKernelTunerFormat = "Kernel Tuner cache"; // the RecordedSpace::format of such a file

// Reads every file that Kernel Tuner reads, and also files that a crash cut off: closing braces may be missing, and an
// incomplete entry is left out. A note reports the cut. A configuration counts as failed if one of its values is the
// name of a failure ("RuntimeFailedConfig"), or if it has no time (null, NaN, 1e20). `text` is modified. Errors
// (bad_input): the caller puts the file's name before the message.
Result<RecordedSpace> read_kernel_tuner_cache(std::string& text);

// Writes a file that follows the schema. The schema requires all durations and a timestamp, so unknown ones are written
// as 0 and as 1970. Error (bad_input): for example, an entry would have two fields of the same name. The caller puts
// the space's name before the message.
Result<std::string> write_kernel_tuner_cache(const RecordedSpace& space);

} // namespace warptune
