// What an 8-byte argument of a launch points to, and the contents of it.
#pragma once

#include "intercept/driver_calls.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune::intercept {

struct Buffer {
  std::uint64_t offset = 0;      // of the pointer in its allocation
  std::uint64_t bytes = 0;       // from the pointer to the end of the allocation; 0: not a pointer
  const char* memory = "device"; // or "host", "managed"
  bool is_buffer() const { return bytes > 0; }
};

// Asks the driver, so it does not matter which function allocated the memory. Needs a current context.
Buffer find_buffer(const DriverCalls& driver, std::uint64_t value);

// Whether a graph is captured from the stream; then nothing may be copied.
bool is_capturing(const DriverCalls& driver, CUstream stream);

// Waits until the work that `stream` has so far is done, then copies. Neither waits longer than a few seconds: work may
// wait for what the calling thread does later. Returns why the contents cannot be had; empty: `out` has them.
std::string copy_contents(const DriverCalls& driver, CUstream stream, std::uint64_t address, const Buffer& buffer,
                          std::size_t bytes, std::vector<char>& out);

} // namespace warptune::intercept
