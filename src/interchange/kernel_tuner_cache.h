// Kernel Tuner's cache files: https://github.com/KernelTuner/kernel_tuner, schema/cache/1.1.0. Text <-> RecordedSpace.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"

#include <string>

namespace warptune {

inline constexpr const char* kKernelTunerFormat = "Kernel Tuner cache"; // RecordedSpace::format

// Takes what Kernel Tuner itself takes, and what its files look like after a crash: the closing braces may be missing,
// and an entry that is cut off does not count; a note says so. A configuration failed when one of its values is the
// name of a failure ("RuntimeFailedConfig") or its time is none (null, NaN, 1e20). `text` is worked on in place.
// Errors (bad_input): the end of a sentence that begins with the file.
Result<RecordedSpace> read_kernel_tuner_cache(std::string& text);

// By the schema, which asks for every duration and a timestamp: those that are not known are 0 and 1970. Errors
// (bad_input): the end of a sentence that begins with the space; an entry has no room for two fields of one name.
Result<std::string> write_kernel_tuner_cache(const RecordedSpace& space);

} // namespace warptune
