// Finds programs of the CUDA Toolkit, such as nvdisasm and compute-sanitizer, which warptune runs if installed.
#pragma once

#include "core/result.h"

#include <filesystem>

namespace warptune {

struct ToolkitProgram {
  const char* name;     // "nvdisasm"; a folder of the toolkit may have the same name
  const char* variable; // "WARPTUNE_NVDISASM": an environment variable that names the program
  const char* package;  // "cuda-nvdisasm": the package that installs it
};

// Returns the program that the variable names; otherwise searches bin/ and the folder of the program's name in the
// toolkits of CUDA_HOME, CUDA_PATH and /usr/local/cuda, then $PATH. Error (no_device): not found.
Result<std::filesystem::path> find_toolkit_program(const ToolkitProgram& program);

} // namespace warptune
