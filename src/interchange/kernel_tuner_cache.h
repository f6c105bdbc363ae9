// Kernel Tuner's cache files: https://github.com/KernelTuner/kernel_tuner, schema/cache/1.1.0. Text <-> RecordedSpace.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"

#include <string>

namespace warptune {

inline constexpr const char* kKernelTunerFormat = "Kernel Tuner cache"; // RecordedSpace::format

// Accepts what Kernel Tuner itself accepts, and its files after a crash: the closing braces may be missing, and an
// entry that is cut off is left out; a note reports both. A configuration failed if one of its values is the name of a
// failure ("RuntimeFailedConfig"), or it has no time (null, NaN, 1e20). `text` is modified. Errors (bad_input): the end
// of a sentence that begins with the file's name.
Result<RecordedSpace> read_kernel_tuner_cache(std::string& text);

// Follows the schema, which requires every duration and a timestamp: unknown ones are written as 0 and 1970. Errors
// (bad_input): the end of a sentence that begins with the space; for example, an entry cannot hold two fields of the
// same name.
Result<std::string> write_kernel_tuner_cache(const RecordedSpace& space);

} // namespace warptune
