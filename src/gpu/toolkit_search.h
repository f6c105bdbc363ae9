// Lists possible paths of the CUDA Toolkit libraries that are opened at run time (NVRTC, CUPTI). Opens nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace warptune {

// Returns the paths to try, in order. `order` is the name of an environment variable: if this variable is set, only the
// file or folder that it names is tried. Otherwise: CUDA_HOME and CUDA_PATH, /usr/local/cuda, the packages of the
// active Python environment, and finally the bare `names`, for which the loader uses its own search path.
std::vector<std::string> toolkit_library_candidates(const char* order, std::span<const char* const> names);

// Returns the file from which the loader mapped `symbol`, for a library that was opened as `asked`.
std::string mapped_library_path(void* symbol, const std::string& asked);

} // namespace warptune
