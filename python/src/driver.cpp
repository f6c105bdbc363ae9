#include "driver.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <type_traits>
#include <warptune/warptune.hpp>

namespace warptune_python {
namespace {

constexpr int kFunctionVersion = 12000;
constexpr int kDeviceOrdinal = 9; // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
constexpr int kMaxDevices = 64;
constexpr int kNameBytes = 256;

using GetProcAddress = int (*)(const char*, void**, int, std::uint64_t, void*);

const Driver* load() {
  const char* chosen = std::getenv("WARPTUNE_LIBCUDA"); // another driver for tests, as in the library
  void* handle = dlopen(chosen != nullptr && *chosen != '\0' ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  const auto get_address = reinterpret_cast<GetProcAddress>(dlsym(handle, "cuGetProcAddress_v2"));
  if (get_address == nullptr) return nullptr;
  static Driver driver;
  bool complete = true;
  const auto find = [&](const char* name, auto& function) {
    void* address = nullptr;
    int status = 0;
    complete = get_address(name, &address, kFunctionVersion, 0, &status) == 0 && address != nullptr && complete;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
  };
  int (*init)(unsigned) = nullptr;
  find("cuInit", init);
  find("cuCtxGetCurrent", driver.get_current);
  find("cuCtxSetCurrent", driver.set_current);
  find("cuCtxGetDevice", driver.get_device);
  find("cuDeviceGet", driver.device_get);
  find("cuDeviceGetCount", driver.device_count);
  find("cuDeviceGetName", driver.device_name);
  find("cuDevicePrimaryCtxRetain", driver.retain_primary);
  find("cuPointerGetAttribute", driver.get_pointer_attribute);
  find("cuStreamSynchronize", driver.synchronize);
  find("cuMemAllocAsync", driver.allocate);
  find("cuMemFreeAsync", driver.free);
  find("cuMemAlloc", driver.allocate_now);
  find("cuMemFree", driver.free_now);
  find("cuStreamIsCapturing", driver.is_capturing);
  find("cuStreamGetId", driver.stream_id);
  find("cuThreadExchangeStreamCaptureMode", driver.exchange_capture_mode);
  return complete && init(0) == 0 ? &driver : nullptr;
}

// Retained once and never released: the driver destroys it at exit.
void* primary_context(const Driver& driver, int ordinal) {
  static std::array<std::atomic<void*>, kMaxDevices> contexts{};
  if (ordinal < 0 || ordinal >= kMaxDevices) return nullptr;
  auto& kept = contexts[static_cast<std::size_t>(ordinal)];
  if (void* context = kept.load(std::memory_order_acquire)) return context;
  int device = 0;
  void* context = nullptr;
  if (driver.device_get(&device, ordinal) != 0 || driver.retain_primary(&context, device) != 0) return nullptr;
  kept.store(context, std::memory_order_release);
  return context;
}

} // namespace

const Driver* find_driver() {
  static const Driver* driver = load();
  return driver;
}

std::vector<std::string> device_names() {
  const Driver* driver = find_driver();
  std::vector<std::string> names;
  int count = 0;
  if (driver == nullptr || driver->device_count(&count) != 0) return names;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    std::array<char, kNameBytes> name{};
    int device = 0;
    if (driver->device_get(&device, ordinal) == 0) driver->device_name(name.data(), kNameBytes, device);
    names.emplace_back(name.data());
  }
  return names;
}

int device_of(std::uint64_t address) {
  const Driver* driver = find_driver();
  int device = -1;
  if (driver == nullptr || driver->get_pointer_attribute(&device, kDeviceOrdinal, address) != 0) return -1;
  return device;
}

CurrentContext::CurrentContext(int device) {
  const Driver* driver = find_driver();
  void* current = nullptr;
  if (driver == nullptr || driver->get_current(&current) != 0) return;
  int ordinal = -1;
  if (current != nullptr && (device < 0 || (driver->get_device(&ordinal) == 0 && ordinal == device))) return;
  void* context = primary_context(*driver, device < 0 ? 0 : device);
  if (context != nullptr && driver->set_current(context) == 0) {
    before_ = current;
  } else if (current != nullptr) { // without any context, the library reports the error
    throw warptune::Error(
        WT_NO_DEVICE,
        "the tensors are on cuda:" + std::to_string(device) + ", but cuda:" + std::to_string(ordinal) +
            " is current, and the device of the tensors cannot be made current; make it current before the call");
  }
}

CurrentContext::~CurrentContext() {
  if (before_ != nullptr) find_driver()->set_current(before_);
}

StreamMemory::StreamMemory(std::size_t bytes, void* stream) : stream_(stream) {
  const Driver* driver = find_driver();
  if (driver == nullptr || driver->allocate(&address_, bytes, stream) != 0) address_ = 0;
}

StreamMemory::~StreamMemory() {
  if (address_ != 0) find_driver()->free(address_, stream_);
}

} // namespace warptune_python
