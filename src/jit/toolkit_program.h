// Finds programs of the CUDA Toolkit, such as nvdisasm and compute-sanitizer, which warptune runs if they are there.
#pragma once

#include "core/result.h"

#include <filesystem>

namespace warptune {

struct ToolkitProgram {
  const char* name;     // "nvdisasm"; a folder of the toolkit may have the same name
  const char* variable; // "WARPTUNE_NVDISASM": an environment variable that names the program
  const char* package;  // "cuda-nvdisasm": the package that installs it
};

// The program that the variable names; otherwise in bin/ and in the folder of its name of the toolkits in CUDA_HOME,
// CUDA_PATH and /usr/local/cuda; otherwise in $PATH. Error (no_device): it is in none of these places.
Result<std::filesystem::path> find_toolkit_program(const ToolkitProgram& program);

} // namespace warptune
