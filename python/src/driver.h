// What the bindings ask of the CUDA driver beside the library: which context is current, which device a pointer lies
// on, and memory for a workspace. Found at run time, as the library finds it; knows nothing of Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune_python {

struct Driver {
  int (*get_current)(void** context);
  int (*set_current)(void* context);
  int (*get_device)(int* device); // of the current context
  int (*device_get)(int* device, int ordinal);
  int (*device_count)(int* count);
  int (*device_name)(char* name, int bytes, int device);
  int (*retain_primary)(void** context, int device);
  int (*get_pointer_attribute)(void* value, int attribute, std::uint64_t address);
  int (*synchronize)(void* stream);
  int (*allocate)(std::uint64_t* address, std::size_t bytes, void* stream);
  int (*free)(std::uint64_t address, void* stream);
  int (*allocate_now)(std::uint64_t* address, std::size_t bytes);
  int (*free_now)(std::uint64_t address); // waits for what uses it
  int (*is_capturing)(void* stream, int* status);
  int (*stream_id)(void* stream, std::uint64_t* id);
  int (*exchange_capture_mode)(int* mode);
};

// Null where there is no driver: the library then says so in its own words.
const Driver* find_driver();

// The names of this machine's devices, by ordinal; none where there is no driver.
std::vector<std::string> device_names();

// The ordinal of the device that an address lies on, -1 where that is not known.
int device_of(std::uint64_t address);

// While it lives a context of the device is current: the one that is, if it is on that device, else the device's
// primary context (what the CUDA run time and its libraries use). -1: any context, device 0's primary where there is
// none. A thread that had no context keeps the one it got. Throws where another device's context would stay current.
class CurrentContext {
 public:
  explicit CurrentContext(int device);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  void* before_ = nullptr; // to be restored
};

// Device memory in the order of a stream, also of one that is being captured. Null when the driver has none.
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

// While it lives, what this thread asks of the driver breaks no capture of another thread.
class RelaxedCapture {
 public:
  RelaxedCapture() { find_driver()->exchange_capture_mode(&mode_); }
  ~RelaxedCapture() { find_driver()->exchange_capture_mode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  int mode_ = 2; // CU_STREAM_CAPTURE_MODE_RELAXED; then the thread's own
};

} // namespace warptune_python
