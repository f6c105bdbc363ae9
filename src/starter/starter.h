// Makes a kernel folder from a .cu file and the facts that its author states: docs/own-kernel.md. Needs NVRTC, but no
// GPU. Writes nothing.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "starter/facts.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// [0] is the file under the name kernel.cu; then the headers of its folder that it includes in quotes, directly or
// indirectly. Error (bad_input): the file cannot be read.
Result<SourceFiles> read_starter_source(const std::filesystem::path& file);

// One of three results: a folder; the facts that are missing for one; or the log of a compiler that cannot compile the
// source.
struct StarterDraft {
  SourceFiles files; // spec.json, kernel.cu, reference.cu, headers; with a log: what was compiled; else empty
  std::string shape; // the suite's shape: "n=1048576"
  std::vector<std::string> notes;
  std::vector<MissingFact> missing;
  std::string log;
};

// `file` names the source in texts. Errors (bad_input): facts that contradict the source or each other, a kernel that a
// kernel folder cannot describe, formulas that spec.json does not accept.
Result<StarterDraft> draft_kernel_folder(const SourceFiles& sources, const std::string& file, const StarterFacts& facts,
                                         const std::string& arch);

} // namespace warptune
