// Device memory with zones of known bytes before and after it. A write out of bounds changes these bytes.
#pragma once

#include "cuda/verifier.h"

#include <string>
#include <vector>

namespace warptune {

// Where a buffer begins within its memory.
struct GuardLayout {
  bool has_zones = true;
  std::int64_t offset = 0; // bytes between an aligned address and the buffer's first byte
};

class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  // `pattern`: the byte that fills the zones. Buffers that kernels read have 0xFF, so that a float read out of bounds
  // is a NaN. Buffers that kernels write have another byte, so that a copy of an input's zone to an output's zone is
  // detected.
  static Result<GuardedBuffer> allocate(const Driver& driver, const std::string& name, std::int64_t bytes,
                                        unsigned char pattern, const GuardLayout& layout = {});

  // Many candidates share one allocation for their workspaces. This function sets the size of the current workspace,
  // and thereby where the guard zone behind it starts. Precondition: fits(bytes).
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
  std::size_t before_ = 0, after_ = 0; // sizes of the zones in bytes
};

inline constexpr unsigned char kReadGuard = 0xFF;
inline constexpr unsigned char kWriteGuard = 0xA5;

} // namespace warptune
