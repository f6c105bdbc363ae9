#include "cuda/guarded_buffer.h"

namespace warptune {
namespace {

// A multiple of every alignment a kernel may assume, and wider than a row of a usual tile.
constexpr std::size_t kGuardBytes = std::size_t{64} * 1024;

} // namespace

Result<GuardedBuffer> GuardedBuffer::allocate(const Driver& driver, const std::string& name, std::int64_t bytes,
                                              unsigned char pattern) {
  GuardedBuffer buffer;
  WT_TRY(auto memory, DeviceMemory::allocate(driver, static_cast<std::size_t>(bytes) + 2 * kGuardBytes, name));
  buffer.name_ = name;
  buffer.memory_ = std::move(memory);
  buffer.bytes_ = buffer.capacity_ = bytes;
  buffer.pattern_ = pattern;
  return buffer;
}

CUdeviceptr GuardedBuffer::data() const { return memory_.get() + kGuardBytes; }

CUresult GuardedBuffer::write_guards(const Driver& driver, CUstream stream) const {
  CUresult status = driver.cuMemsetD8Async(memory_.get(), pattern_, kGuardBytes, stream);
  if (status == CUDA_SUCCESS)
    status = driver.cuMemsetD8Async(data() + static_cast<CUdeviceptr>(bytes_), pattern_, kGuardBytes, stream);
  return status;
}

void GuardedBuffer::add_zones(std::vector<CheckedZone>& zones) const {
  zones.push_back({name_, CheckedZone::Place::before, {memory_.get(), kGuardBytes, pattern_}});
  zones.push_back(
      {name_, CheckedZone::Place::after, {data() + static_cast<CUdeviceptr>(bytes_), kGuardBytes, pattern_}});
}

} // namespace warptune
