// The files of one kernel folder as a compiler needs them: its own headers, and of the shipped common/*.cuh those that it
// includes, so that an edit to one of them changes the hash of its users alone. Knows the file system and no device.
#pragma once

#include "core/plan.h"
#include "core/result.h"
#include "core/spec.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// The error's message is the reason alone ("no such file"), for the caller's sentence.
Result<std::string> read_source_file(const std::filesystem::path& path);

// [0] the kernel's source, then the reference's, spec.json, own headers, headers from `roots` (include name -> text).
Result<SourceFiles> collect_sources(const std::filesystem::path& folder, const KernelSpec& spec, std::string spec_text,
                                    const std::vector<std::filesystem::path>& roots);

// Names in the quotes of #include "..." lines.
std::vector<std::string> included_names(std::string_view source);

// Changes with any byte of any file and with nothing else: not with paths or dates.
std::string hash_sources(const SourceFiles& sources);

} // namespace warptune
