// Kernel Tuner's cache files: https://github.com/KernelTuner/kernel_tuner, schema/cache/1.1.0. Text <-> RecordedSpace.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"

#include <string>

namespace warptune {

inline constexpr const char* kKernelTunerFormat = "Kernel Tuner cache"; // RecordedSpace::format

// Reads all files that Kernel Tuner reads, and those left by a crash: the closing braces may be missing, and an entry
// that is cut off is left out. A note reports both. A configuration failed if one of its values is the name of a
// failure ("RuntimeFailedConfig"), or it has no time (null, NaN, 1e20). `text` is modified. Errors (bad_input): the
// caller prefixes the file's name.
Result<RecordedSpace> read_kernel_tuner_cache(std::string& text);

// Writes a file that follows the schema. The schema requires all durations and a timestamp: unknown ones are written as
// 0 and 1970. Errors (bad_input), for example if an entry would have two fields of the same name; the caller prefixes
// the space's name.
Result<std::string> write_kernel_tuner_cache(const RecordedSpace& space);

} // namespace warptune
