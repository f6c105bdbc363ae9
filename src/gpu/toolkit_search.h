// Where a library of the CUDA Toolkit may lie on this machine: for everything of the toolkit that is opened at run time
// (NVRTC, CUPTI). Looks at names only and opens nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace warptune {

// Paths to try, in order: what the environment variable `order` names (a file or a folder; an order, not a hint:
// nothing else is tried then), CUDA_HOME and CUDA_PATH, /usr/local/cuda, the active Python environment's packages, and
// last the bare `names`, for the loader's own path.
std::vector<std::string> toolkit_library_candidates(const char* order, std::span<const char* const> names);

// The file that the loader really mapped for a symbol of a library that was `asked` for by this path.
std::string mapped_library_path(void* symbol, const std::string& asked);

} // namespace warptune
