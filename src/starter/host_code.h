// Hides from NVRTC the code that only a host compiler can compile. The code stays in the file, between #ifndef
// __CUDACC_RTC__ and #endif, so that nvcc still compiles it. Reads the text without preprocessing it.
#pragma once

#include "spec/source_files.h"

#include <string>
#include <string_view>

namespace warptune {

// Decides from the compiler's log which code to hide:
// - If a header cannot be opened: each #include of this header. If no file includes the header, each #include of a CUDA
//   Toolkit library for host code, because such a library may include the header.
// - If a host program computes the value of a variable: the line of this variable.
// - Otherwise: host functions that call the CUDA runtime, launch kernels or use the C or C++ library, and declarations
//   with types of these libraries. Other functions without __device__ stay visible, because kernels may use them.
// Returns a sentence that names the hidden code and its files; empty if nothing was left to hide.
std::string hide_host_code(SourceFiles& sources, std::string_view log);

} // namespace warptune
