#include "cuda/guarded_buffer.h"

namespace warptune {
namespace {

// A multiple of every alignment that a kernel may assume, and wider than a row of a typical tile.
constexpr std::size_t kGuardBytes = std::size_t{64} * 1024;

} // namespace

Result<GuardedBuffer> GuardedBuffer::allocate(const Driver& driver, const std::string& name, std::int64_t bytes,
                                              unsigned char pattern, const GuardLayout& layout) {
  GuardedBuffer buffer;
  buffer.after_ = layout.has_zones ? kGuardBytes : 0;
  buffer.before_ = buffer.after_ + static_cast<std::size_t>(layout.offset);
  WT_TRY(auto memory,
         DeviceMemory::allocate(driver, static_cast<std::size_t>(bytes) + buffer.before_ + buffer.after_, name));
  buffer.name_ = name;
  buffer.memory_ = std::move(memory);
  buffer.bytes_ = buffer.capacity_ = bytes;
  buffer.pattern_ = pattern;
  return buffer;
}

CUdeviceptr GuardedBuffer::data() const { return memory_.get() + before_; }

CUresult GuardedBuffer::write_guards(const Driver& driver, CUstream stream) const {
  CUresult status = CUDA_SUCCESS;
  if (before_ > 0) status = driver.cuMemsetD8Async(memory_.get(), pattern_, before_, stream);
  if (status == CUDA_SUCCESS && after_ > 0)
    status = driver.cuMemsetD8Async(data() + static_cast<CUdeviceptr>(bytes_), pattern_, after_, stream);
  return status;
}

void GuardedBuffer::add_zones(std::vector<CheckedZone>& zones) const {
  if (before_ > 0) zones.push_back({name_, CheckedZone::Place::before, {memory_.get(), before_, pattern_}});
  if (after_ > 0)
    zones.push_back({name_, CheckedZone::Place::after, {data() + static_cast<CUdeviceptr>(bytes_), after_, pattern_}});
}

} // namespace warptune
