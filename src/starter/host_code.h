// Hides code from NVRTC that only a host compiler can compile. The text stays in the file, between #ifndef
// __CUDACC_RTC__ and #endif, so nvcc still compiles it. Reads text without preprocessing it.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// Returns the source with guards around host functions that call the CUDA runtime, launch kernels or use the C or C++
// library. Other functions without __device__ are not guarded, because kernels may use them. Unchanged if there is
// nothing to guard.
std::string with_hidden_host_functions(std::string_view source);

// Returns the source with guards around each #include of `header`; unchanged if there is none.
std::string with_hidden_include(std::string_view source, std::string_view header);

// Returns the header that the compiler could not open, according to its log; empty: none.
std::string missing_header(std::string_view log);

} // namespace warptune
