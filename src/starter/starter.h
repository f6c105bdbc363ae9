// Drafts the files of a kernel folder, in memory, from a .cu file and the facts that its author states
// (docs/own-kernel.md). Needs NVRTC but no GPU.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "starter/facts.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// Returns `file` as the first element, named kernel.cu, then the headers of its folder that it includes in quotes,
// directly or indirectly. Error (bad_input): the file cannot be read.
Result<SourceFiles> read_starter_source(const std::filesystem::path& file);

// One of three results: the files of a folder; the facts that are missing; or the compiler's log, if the source does
// not compile.
struct StarterDraft {
  SourceFiles files; // spec.json, kernel.cu, reference.cu, headers; if there is a log: the compiled files; else empty
  std::string shape; // the suite's shape: "n=1048576"
  std::vector<std::string> notes;
  std::vector<MissingFact> missing;
  std::string log;
};

// `file`: the source's name in messages and in the files. Errors (bad_input): the facts contradict the source or each
// other, a kernel folder cannot describe the kernel, or spec.json does not accept a formula.
Result<StarterDraft> draft_kernel_folder(const SourceFiles& sources, const std::string& file, const StarterFacts& facts,
                                         const std::string& arch);

} // namespace warptune
