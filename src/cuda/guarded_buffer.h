// Device memory with a zone of known bytes before and after it, in which a stray write leaves a mark.
#pragma once

#include "cuda/verifier.h"
#include "gpu/device_tools.h"

#include <string>
#include <vector>

namespace warptune {

class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  // `pattern`: the byte in the zones. Buffers that are read get 0xFF, which makes a float read out of bounds a NaN;
  // those that are written get another byte, so that a copy from zone to zone shows.
  static Result<GuardedBuffer> allocate(const Driver& driver, const std::string& name, std::int64_t bytes,
                                        unsigned char pattern);

  // Workspaces of many candidates share memory: the end moves to fit the one at hand. Precondition: fits(bytes).
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
};

inline constexpr unsigned char kReadGuard = 0xFF;
inline constexpr unsigned char kWriteGuard = 0xA5;

} // namespace warptune
