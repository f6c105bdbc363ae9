// The calls of the bindings to the CUDA driver: which context is current, on which device a pointer is, and memory for
// a workspace. The driver is opened at run time, as in the library; this file does not depend on Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune_python {

struct Driver {
  int (*get_current)(void** context);
  int (*set_current)(void* context);
  int (*get_device)(int* device); // the device of the current context
  int (*device_get)(int* device, int ordinal);
  int (*device_count)(int* count);
  int (*device_name)(char* name, int bytes, int device);
  int (*retain_primary)(void** context, int device);
  int (*get_pointer_attribute)(void* value, int attribute, std::uint64_t address);
  int (*synchronize)(void* stream);
  int (*allocate)(std::uint64_t* address, std::size_t bytes, void* stream);
  int (*free)(std::uint64_t address, void* stream);
  int (*allocate_now)(std::uint64_t* address, std::size_t bytes);
  int (*free_now)(std::uint64_t address); // waits for work that uses the memory
  int (*is_capturing)(void* stream, int* status);
  int (*stream_id)(void* stream, std::uint64_t* id);
  int (*exchange_capture_mode)(int* mode);
};

// Null if there is no driver; the library then reports the error.
const Driver* find_driver();

// The names of this machine's devices, by ordinal; empty if there is no driver.
std::vector<std::string> device_names();

// The ordinal of the device of an address; -1: not known.
int device_of(std::uint64_t address);

// While this object lives, a context of the device is current: the present one if it belongs to the device, else the
// device's primary context. Device -1: any context; if there is none, device 0's primary context. A thread that had no
// context keeps the new one. Throws if another device's context would stay current.
class CurrentContext {
 public:
  explicit CurrentContext(int device);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  void* before_ = nullptr; // the context to restore
};

// Allocates device memory in the order of a stream, even one that is being captured. The address is null if the driver
// has no memory.
class StreamMemory {
 public:
  StreamMemory(std::size_t bytes, void* stream);
  ~StreamMemory();
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;
  void* get() const noexcept { return reinterpret_cast<void*>(address_); }

 private:
  std::uint64_t address_ = 0;
  void* stream_;
};

// While this object lives, driver calls of this thread do not invalidate a capture of another thread.
class RelaxedCapture {
 public:
  RelaxedCapture() { find_driver()->exchange_capture_mode(&mode_); }
  ~RelaxedCapture() { find_driver()->exchange_capture_mode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  int mode_ = 2; // CU_STREAM_CAPTURE_MODE_RELAXED; after the exchange, the thread's own mode
};

} // namespace warptune_python
