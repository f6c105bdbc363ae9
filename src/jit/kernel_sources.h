// Reads the files of a kernel folder and the shipped common/*.cuh, and names them as #include does. Does not follow
// links that lead out of these folders. Uses the file system, but no device and no compiler.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warptune {

// On failure, the message is only the reason ("no such file"); the caller completes the sentence.
Result<std::string> read_source_file(const std::filesystem::path& path);

// Reads spec.json, and the implementation.json of every subfolder. Such a file is named with its subfolder:
// "online/implementation.json".
Result<SourceFiles> collect_descriptions(const std::filesystem::path& folder);

// Name in SourceFiles -> folder, for implementations that are not in the operator's folder.
using FoldersElsewhere = std::map<std::string, std::filesystem::path>;

// Adds an implementation: its files to `descriptions`, as if `folder` were in `operator_folder`, and its name to
// `elsewhere`. Error (bad_input): `folder` has no implementation.json, or its files would replace files in
// `operator_folder` or shared headers.
Result<void> add_implementation(const std::filesystem::path& folder, const std::filesystem::path& operator_folder,
                                SourceFiles& descriptions, FoldersElsewhere& elsewhere);

// Returns files in this order: the sources of the implementations (the first is [0]), of the reference and of
// `prepare`; the descriptions; the folder's headers; headers from `roots` (include name -> text).
Result<SourceFiles> collect_sources(const std::filesystem::path& folder, const KernelSpec& spec,
                                    const SourceFiles& descriptions, const std::vector<std::filesystem::path>& roots,
                                    const FoldersElsewhere& elsewhere = {});

} // namespace warptune
