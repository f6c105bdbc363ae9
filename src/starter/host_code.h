// Hides from NVRTC what only a host compiler can compile. The text stays in the file, between #ifndef __CUDACC_RTC__
// and #endif, so nvcc still sees it. Reads text without preprocessing it.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// With guards around functions that are not for the device and call the CUDA runtime, launch kernels or use the C or
// C++ library; other functions may be helpers of kernels. Unchanged if there are none.
std::string with_hidden_host_functions(std::string_view source);

// With guards around each #include of `header`. Unchanged if there is none.
std::string with_hidden_include(std::string_view source, std::string_view header);

// The header that a compiler's log says it cannot open; empty: it says so of none.
std::string missing_header(std::string_view log);

} // namespace warptune
