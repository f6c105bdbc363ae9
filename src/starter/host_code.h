// Hides code from NVRTC that only a host compiler can compile. The text stays in the files, between #ifndef
// __CUDACC_RTC__ and #endif, so nvcc still compiles it. Reads text without preprocessing it.
#pragma once

#include "spec/source_files.h"

#include <string>
#include <string_view>

namespace warptune {

// Puts guards around code, depending on the compiler's log:
// - A header cannot be opened: each #include of it. If there is none, each #include of a host library of the CUDA
//   Toolkit, because these libraries include such headers.
// - The value of a variable is computed by a host program: the line of this variable.
// - Anything else: host functions that call the CUDA runtime, launch kernels or use the C or C++ library, and
//   declarations with types of these libraries. Other functions without __device__ are not guarded, because kernels may
//   use them.
// Returns a sentence that says what is hidden in which files; empty if there is nothing left to hide.
std::string hide_host_code(SourceFiles& sources, std::string_view log);

} // namespace warptune
