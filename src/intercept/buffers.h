// Finds the memory to which an 8-byte launch argument points, and copies its contents.
#pragma once

#include "intercept/driver_calls.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune::intercept {

struct Buffer {
  std::uint64_t offset = 0;      // offset of the pointer in its allocation
  std::uint64_t bytes = 0;       // bytes from the pointer to the end of the allocation; 0: not a pointer
  const char* memory = "device"; // or "host", "managed"
  bool is_buffer() const { return bytes > 0; }
};

// Asks the driver, so it finds memory from any allocation function. Needs a current context.
Buffer find_buffer(const DriverCalls& driver, std::uint64_t value);

// Whether the stream is being captured into a graph. During a capture, nothing may be copied.
bool is_capturing(const DriverCalls& driver, CUstream stream);

// Waits for the work already queued on `stream`, then copies. Gives up after a few seconds, because that work may wait
// for something that the calling thread does later. Returns why nothing was copied; empty if `out` has the contents.
std::string copy_contents(const DriverCalls& driver, CUstream stream, std::uint64_t address, const Buffer& buffer,
                          std::size_t bytes, std::vector<char>& out);

} // namespace warptune::intercept
