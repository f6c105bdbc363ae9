// What a command reads it does not write over. Knows nothing of formats.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <vector>

namespace warptune::cli {

// Error (kind bad_input): `output` is one of `inputs`, by whatever name or link.
Result<void> refuse_overwriting(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs);

} // namespace warptune::cli
