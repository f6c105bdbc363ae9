// A compiled program as an application passes it to the driver: PTX text, a cubin or something else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warptune::intercept {

struct CodeImage {
  const char* kind = "unknown";     // "ptx", "cubin", "fatbin"
  std::string id;                   // hash and size of its bytes; empty: not known
  std::vector<std::string> kernels; // mangled names
};

// Reads an image, and finds the image's size from its content, as the driver does.
CodeImage read_image(const void* image);

} // namespace warptune::intercept
