// Writes a new kernel folder, completely or not at all.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"

#include <filesystem>
#include <string>

namespace warptune {

// Error (bad_input): `folder` is a file or has content, or the folder above it is missing.
Result<void> refuse_existing_folder(const std::filesystem::path& folder);

// Writes all files into a temporary folder next to `folder`, then renames it. Error (internal): a file cannot be
// written; the message names it.
Result<void> write_new_folder(const std::filesystem::path& folder, const SourceFiles& files);

// Makes the name of an operator from the name of a folder: "My-scale" -> "my_scale".
std::string operator_name_of(const std::filesystem::path& folder);

// The files of a kernel folder on disk, with `name` in its spec.json. Errors (bad_input): a file cannot be read; its
// spec.json has no name.
Result<SourceFiles> renamed_folder(const std::filesystem::path& folder, const std::string& name);

} // namespace warptune
