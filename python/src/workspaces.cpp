#include "workspaces.h"

#include "driver.h"

#include <algorithm>
#include <pybind11/pybind11.h>

namespace warptune_python {
namespace {

void release(void* context, std::uint64_t address) noexcept {
  const Driver& driver = *find_driver();
  void* before = nullptr;
  if (driver.get_current(&before) != 0 || driver.set_current(context) != 0) return; // destroyed, with its memory
  const RelaxedCapture relaxed;
  driver.free_now(address);
  driver.set_current(before);
}

} // namespace

Workspaces::~Workspaces() {
  if (buffers_.empty()) return;
  const pybind11::gil_scoped_release released; // the device may wait for something that needs the interpreter
  for (const Buffer& buffer : buffers_) release(buffer.context, buffer.address);
}

void* Workspaces::lend(std::size_t bytes, void* stream) {
  const Driver* driver = find_driver();
  int is_capturing = 0;
  std::uint64_t id = 0;
  if (bytes > kLargeBytes || driver == nullptr || driver->is_capturing(stream, &is_capturing) != 0 ||
      is_capturing != 0 || driver->stream_id(stream, &id) != 0)
    return nullptr;
  ++loans_;
  for (Buffer& buffer : buffers_)
    if (buffer.stream == id && buffer.bytes >= bytes && !buffer.is_lent) {
      buffer.is_lent = true;
      buffer.last_use = loans_;
      return reinterpret_cast<void*>(buffer.address);
    }
  return make(bytes <= kSmallBytes ? kSmallBytes : kLargeBytes, id);
}

void* Workspaces::make(std::size_t bytes, std::uint64_t stream) {
  if (buffers_.size() >= kMaxBuffers) drop_oldest();
  const Driver& driver = *find_driver();
  Buffer buffer{stream, 0, bytes, nullptr, loans_, true};
  const RelaxedCapture relaxed;
  if (driver.get_current(&buffer.context) != 0 || driver.allocate_now(&buffer.address, bytes) != 0) return nullptr;
  buffers_.push_back(buffer);
  return reinterpret_cast<void*>(buffer.address);
}

// Buffers of destroyed streams stay until they are the oldest.
void Workspaces::drop_oldest() {
  const auto oldest = std::min_element(buffers_.begin(), buffers_.end(), [](const Buffer& a, const Buffer& b) {
    return a.is_lent != b.is_lent ? b.is_lent : a.last_use < b.last_use;
  });
  if (oldest->is_lent) return; // this many threads are launching right now
  const Buffer dropped = *oldest;
  buffers_.erase(oldest);
  const pybind11::gil_scoped_release released;
  release(dropped.context, dropped.address);
}

void Workspaces::give_back(void* memory) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  for (Buffer& buffer : buffers_)
    if (buffer.address == address && buffer.is_lent) buffer.is_lent = false;
}

} // namespace warptune_python
