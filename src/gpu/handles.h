// Owners of driver objects: a context, streams, events, modules, device memory and pinned memory. Destructors ignore
// errors and never throw: after a fault the driver refuses every call anyway, and the process is replaced.
#pragma once

#include "core/result.h"
#include "gpu/driver.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace warptune {

template <class T, auto Destroy> class Handle {
 public:
  Handle() = default;
  Handle(const Driver& driver, T value) : driver_(&driver), value_(value) {}
  Handle(Handle&& other) noexcept { swap(other); }
  Handle& operator=(Handle&& other) noexcept {
    Handle(std::move(other)).swap(*this);
    return *this;
  }
  ~Handle() {
    if (driver_ != nullptr && value_) (driver_->*Destroy)(value_);
  }
  T get() const { return value_; }
  explicit operator bool() const { return static_cast<bool>(value_); }

 private:
  void swap(Handle& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(value_, other.value_);
  }
  const Driver* driver_ = nullptr;
  T value_{};
};

using Stream = Handle<CUstream, &Driver::cuStreamDestroy>;
using Event = Handle<CUevent, &Driver::cuEventDestroy>;
using Module = Handle<CUmodule, &Driver::cuModuleUnload>;

Result<Stream> make_stream(const Driver& driver); // the stream does not synchronise with the legacy stream
Result<Event> make_event(const Driver& driver);   // an event that can measure times
Result<Module> load_module(const Driver& driver, std::string_view cubin);

// The primary context of a device. CUDA runtime code in the same process uses the same context. The context is current
// on the thread that opened it.
class Context {
 public:
  static Result<Context> open(int ordinal);
  Context(Context&& other) noexcept;
  Context& operator=(Context&&) = delete;
  ~Context();

  const Driver& driver() const { return *driver_; }
  CUdevice device() const { return device_; }
  Result<void> make_current() const;

 private:
  Context(const Driver& driver, CUdevice device, CUcontext context)
      : driver_(&driver), device_(device), context_(context) {}
  const Driver* driver_;
  CUdevice device_;
  CUcontext context_;
};

class DeviceMemory {
 public:
  DeviceMemory() = default;
  // 0 bytes give an empty object that is valid. If memory is short, the error states the requested and the free amount.
  static Result<DeviceMemory> allocate(const Driver& driver, std::size_t bytes, const std::string& purpose);
  CUdeviceptr get() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  Handle<CUdeviceptr, &Driver::cuMemFree> memory_;
  std::size_t bytes_ = 0;
};

// Host memory that the device can read and write while a kernel runs.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  static Result<PinnedMemory> allocate(const Driver& driver, std::size_t bytes);
  void* host() const { return memory_.get(); }
  CUdeviceptr device() const { return device_; }

 private:
  Handle<void*, &Driver::cuMemFreeHost> memory_;
  CUdeviceptr device_ = 0;
};

std::string bytes_text(double bytes); // "4.0 GiB"

} // namespace warptune
