// Finds programs of the CUDA Toolkit that warptune runs if they are installed, such as nvdisasm and compute-sanitizer.
#pragma once

#include "core/result.h"

#include <filesystem>

namespace warptune {

// Whether the path is an executable file.
bool is_program(const std::filesystem::path& path);

struct ToolkitProgram {
  const char* name;     // "nvdisasm"; also the name of a folder of the toolkit that may contain it
  const char* variable; // the environment variable that names the program: "WARPTUNE_NVDISASM"
  const char* package;  // the package that installs it: "cuda-nvdisasm"
};

// Returns the program that the variable names. If the variable is not set, searches the toolkits in CUDA_HOME,
// CUDA_PATH and /usr/local/cuda, and then $PATH. In a toolkit, searches bin/ and the folder with the program's name.
// Error (no_device): not found.
Result<std::filesystem::path> find_toolkit_program(const ToolkitProgram& program);

} // namespace warptune
