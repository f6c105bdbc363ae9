// Hides code from NVRTC that only a host compiler can compile. The text stays in the files, between #ifndef
// __CUDACC_RTC__ and #endif, so nvcc still compiles it. Reads text without preprocessing it.
#pragma once

#include "spec/source_files.h"

#include <string>
#include <string_view>

namespace warptune {

// Puts guards around what the compiler's log complains about: each #include of a header that it cannot open (or of the
// CUDA Toolkit's host libraries, which include such headers), or a variable whose value a host program computes. Any
// other log: around host functions that call the CUDA runtime, launch kernels or use the C or C++ library, and
// declarations with their types; other functions without __device__ are not guarded, because kernels may use them.
// Returns a sentence that says what is hidden in which files; empty if there is nothing left to hide.
std::string hide_host_code(SourceFiles& sources, std::string_view log);

} // namespace warptune
