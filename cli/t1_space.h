// `space` for a T1 file instead of a kernel: what the file's own conditions leave of its values. No kernel, no device.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <string>

namespace warptune::cli {

// Whether `kernel` names a file rather than a kernel or its folder.
bool is_space_file(const std::string& kernel);

// Prints what `space` prints. Errors: kind bad_input for a file that cannot be read or is no T1 file, no_candidate when
// nothing is valid.
Result<int> run_t1_space(const std::string& file, std::int64_t limit, bool json);

} // namespace warptune::cli
