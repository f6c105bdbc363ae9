// Folders inside an operator that were meant as implementations and are none: a misspelt or forgotten
// implementation.json would leave configurations out, and nothing would say so.
#pragma once

#include "core/result.h"
#include "spec/spec.h"

#include <filesystem>

namespace warptune {

// Error (bad_input): a folder in `folder` looks like an implementation and has no implementation.json. Folders of
// headers, hidden ones, operators of their own, and those that hold sources which the spec names are left alone.
Result<void> check_stray_folders(const std::filesystem::path& folder, const KernelSpec& spec);

} // namespace warptune
