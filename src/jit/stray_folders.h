// Detects folders inside an operator that look like implementations but are not, because a misspelt or missing
// implementation.json would silently leave configurations out.
#pragma once

#include "core/result.h"
#include "spec/spec.h"

#include <filesystem>

namespace warptune {

// Error (bad_input): a folder in `folder` looks like an implementation but has no implementation.json: it has a JSON
// file with a similar name, or sources that the spec does not name. Hidden folders, other operators and folders of
// headers are not reported.
Result<void> check_stray_folders(const std::filesystem::path& folder, const KernelSpec& spec);

} // namespace warptune
