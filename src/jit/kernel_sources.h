// Loads the files of a kernel folder for a compiler: its own and the shipped common/*.cuh, by their include names.
// Links that lead out of these folders are not followed. Uses the file system, but no device and no compiler.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warptune {

// The error's message is only the reason ("no such file"); the caller completes the sentence.
Result<std::string> read_source_file(const std::filesystem::path& path);

// Reads spec.json and the implementation.json of each folder next to it, by name ("online/implementation.json").
Result<SourceFiles> collect_descriptions(const std::filesystem::path& folder);

// Folders of implementations outside the operator's folder, by the name under which their files are listed.
using FoldersElsewhere = std::map<std::string, std::filesystem::path>;

// Adds the files of a folder with an implementation.json, as if it were in the operator's folder under its own name,
// and adds that name to `elsewhere`. Error (bad_input): its files would replace files of the operator, in
// `operator_folder`, or shared headers.
Result<void> add_implementation(const std::filesystem::path& folder, const std::filesystem::path& operator_folder,
                                SourceFiles& descriptions, FoldersElsewhere& elsewhere);

// In this order: the sources of the implementations ([0]: the first), of the reference and of `prepare`, the
// descriptions, the folder's headers, and headers from `roots` (include name -> text).
Result<SourceFiles> collect_sources(const std::filesystem::path& folder, const KernelSpec& spec,
                                    const SourceFiles& descriptions, const std::vector<std::filesystem::path>& roots,
                                    const FoldersElsewhere& elsewhere = {});

} // namespace warptune
