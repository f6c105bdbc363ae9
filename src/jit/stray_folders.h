// Finds subfolders of an operator that look like implementations but are not. Without this check, if
// implementation.json is missing or misspelt, the implementation's configurations would be left out silently.
#pragma once

#include "core/result.h"
#include "spec/spec.h"

#include <filesystem>

namespace warptune {

// Error (bad_input): a subfolder without implementation.json looks like an implementation: it has a JSON file with a
// similar name, or sources that the spec does not name. Hidden folders, other operators and folders of headers are not
// reported.
Result<void> check_stray_folders(const std::filesystem::path& folder, const KernelSpec& spec);

} // namespace warptune
