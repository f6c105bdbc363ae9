// Converts a captured kernel's source to files that compile on their own, and its compile options to the form of a
// kernel folder.
#pragma once

#include "capture/records.h"
#include "spec/source_files.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct CapturedSource {
  SourceFiles files;                                        // [0]: kernel.cu
  std::vector<std::pair<std::string, std::int64_t>> macros; // -D options with an integer that kernel.cu uses
  std::vector<std::string> options;                         // options that change the code, as spec.json writes them
  std::vector<std::string> notes;
};

// Headers that the application passed to NVRTC become files. Headers in folders of the program's -I options are read
// from disk, except those of the CUDA Toolkit. -D options that are not in `macros` become #define lines at the top of
// kernel.cu.
CapturedSource captured_source(const CapturedProgram& program);

} // namespace warptune
