// Writes a kernel folder where none is: completely or not at all.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"

#include <filesystem>
#include <string>

namespace warptune {

// Error (bad_input): `folder` is a file or has content, or the folder that is to hold it is missing.
Result<void> refuse_existing_folder(const std::filesystem::path& folder);

// Writes all files into a folder beside `folder`, which is then renamed. Error (internal): what could not be written.
Result<void> write_new_folder(const std::filesystem::path& folder, const SourceFiles& files);

// The name of an operator for a folder: "My-scale" -> "my_scale".
std::string operator_name_of(const std::filesystem::path& folder);

// The files of a kernel folder on disk, with `name` in its spec.json. Errors (bad_input): a file cannot be read; its
// spec.json has no name.
Result<SourceFiles> renamed_folder(const std::filesystem::path& folder, const std::string& name);

} // namespace warptune
