// Detects folders inside an operator that look like implementations but are not, because a misspelt or missing
// implementation.json would silently leave configurations out.
#pragma once

#include "core/result.h"
#include "spec/spec.h"

#include <filesystem>

namespace warptune {

// Error (bad_input): a folder in `folder` looks like an implementation and has no implementation.json. These are not
// checked: folders of headers, hidden folders, other operators, and folders with sources that the spec names.
Result<void> check_stray_folders(const std::filesystem::path& folder, const KernelSpec& spec);

} // namespace warptune
