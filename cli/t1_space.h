// The command `space` for a T1 file, which describes another tuner's search space (docs/interchange.md): shows the
// combinations of values that the file's conditions allow. Needs no kernel and no device.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <string>

namespace warptune::cli {

// Whether `kernel` names a file, rather than a kernel or its folder.
bool is_space_file(const std::string& kernel);

// Prints what `space` prints for a kernel. Errors: bad_input if the file cannot be read or is not a T1 file;
// no_candidate if no configuration is valid.
Result<int> run_t1_space(const std::string& file, std::int64_t limit, bool json);

} // namespace warptune::cli
