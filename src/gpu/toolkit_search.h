// Finds where CUDA Toolkit libraries that are opened at run time (NVRTC, CUPTI) may be on this machine. Only builds
// paths; opens nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace warptune {

// Returns the paths to try, in order. If the environment variable `order` is set, only the file or folder that it names
// is tried. Otherwise: CUDA_HOME and CUDA_PATH, /usr/local/cuda, the active Python environment's packages, and finally
// the bare `names`, for the loader's own search path.
std::vector<std::string> toolkit_library_candidates(const char* order, std::span<const char* const> names);

// Returns the file that the loader mapped for a symbol of a library that was opened by the path `asked`.
std::string mapped_library_path(void* symbol, const std::string& asked);

} // namespace warptune
