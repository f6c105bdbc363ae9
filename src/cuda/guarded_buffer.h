// Device memory with a zone of known bytes before and after it; an out-of-bounds write changes these bytes.
#pragma once

#include "cuda/verifier.h"
#include "gpu/device_tools.h"

#include <string>
#include <vector>

namespace warptune {

// The position of a buffer within its memory.
struct GuardLayout {
  bool has_zones = true;
  std::int64_t offset = 0; // distance of its first byte from the memory's alignment
};

class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  // `pattern`: the value of the zones' bytes. Read buffers get 0xFF, so that a float read out of bounds is a NaN.
  // Written buffers get another byte, so that a copy from zone to zone is detected.
  static Result<GuardedBuffer> allocate(const Driver& driver, const std::string& name, std::int64_t bytes,
                                        unsigned char pattern, const GuardLayout& layout = {});

  // Workspaces of many candidates share memory; this moves the end to the current size. Precondition: fits(bytes).
  void resize(std::int64_t bytes) { bytes_ = bytes; }
  bool fits(std::int64_t bytes) const { return bytes <= capacity_; }

  CUresult write_guards(const Driver& driver, CUstream stream) const;
  void add_zones(std::vector<CheckedZone>& zones) const;

  CUdeviceptr data() const;
  std::int64_t bytes() const { return bytes_; }

 private:
  std::string name_;
  DeviceMemory memory_;
  std::int64_t bytes_ = 0, capacity_ = -1;
  unsigned char pattern_ = 0;
  std::size_t before_ = 0, after_ = 0; // bytes of the zones
};

inline constexpr unsigned char kReadGuard = 0xFF;
inline constexpr unsigned char kWriteGuard = 0xA5;

} // namespace warptune
