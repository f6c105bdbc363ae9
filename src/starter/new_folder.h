// Writes a new kernel folder, either completely or not at all.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"

#include <filesystem>
#include <string>

namespace warptune {

// Error (bad_input): `folder` is a file or is not empty, or its parent folder does not exist.
Result<void> refuse_existing_folder(const std::filesystem::path& folder);

// Writes all files into a temporary folder next to `folder`, then renames that. Error
// (kind_of_write_error): a file cannot be written; the message names the file.
Result<void> write_new_folder(const std::filesystem::path& folder, const SourceFiles& files);

// Makes an operator's name from a folder's name: "My-scale" -> "my_scale".
std::string operator_name_of(const std::filesystem::path& folder);

// Reads the files of a kernel folder, and puts `name` into its spec.json. Errors (bad_input): a file cannot be read;
// the spec.json has no name.
Result<SourceFiles> renamed_folder(const std::filesystem::path& folder, const std::string& name);

} // namespace warptune
