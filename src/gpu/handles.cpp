#include "gpu/handles.h"

#include <cstdlib>
#include <fmt/format.h>

namespace warptune {

std::string bytes_text(double bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} bytes", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

Result<Stream> make_stream(const Driver& driver) {
  CUstream stream = nullptr;
  WT_CHECK(check_cuda(driver, driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cannot create a stream"));
  return Stream(driver, stream);
}

Result<Event> make_event(const Driver& driver) {
  CUevent event = nullptr;
  WT_CHECK(check_cuda(driver, driver.cuEventCreate(&event, CU_EVENT_DEFAULT), "cannot create an event"));
  return Event(driver, event);
}

Result<Module> load_module(const Driver& driver, std::string_view cubin) {
  CUmodule module = nullptr;
  const CUresult status = driver.cuModuleLoadDataEx(&module, cubin.data(), 0, nullptr, nullptr);
  WT_CHECK(check_load(driver, status, "cannot load a compiled kernel"));
  return Module(driver, module);
}

Result<Context> Context::open(int ordinal) {
  WT_TRY(auto found, load_driver());
  const Driver& driver = *found;
  CUdevice device = 0;
  CUcontext context = nullptr;
  if (driver.cuDeviceGet(&device, ordinal) != CUDA_SUCCESS) {
    int count = 0;
    driver.cuDeviceGetCount(&count);
    return fail(ErrorKind::no_device, no_such_device_text(ordinal, count));
  }
  const CUresult status = driver.cuDevicePrimaryCtxRetain(&context, device);
  if (auto made = check_cuda(driver, status, fmt::format("cannot open device cuda:{}", ordinal)); !made)
    return fail(ErrorKind::no_device, made.error().message);
  Context opened(driver, device, context);
  WT_CHECK(opened.make_current());
  return opened;
}

Context::Context(Context&& other) noexcept
    : driver_(other.driver_), device_(other.device_), context_(std::exchange(other.context_, nullptr)) {}

Context::~Context() {
  if (context_ != nullptr) driver_->cuDevicePrimaryCtxRelease(device_);
}

Result<void> Context::make_current() const {
  return check_cuda(*driver_, driver_->cuCtxSetCurrent(context_), "cannot make the CUDA context current");
}

Result<DeviceMemory> DeviceMemory::allocate(const Driver& driver, std::size_t bytes, const std::string& purpose) {
  DeviceMemory memory;
  if (bytes == 0) return memory;
  CUdeviceptr pointer = 0;
  const CUresult status = driver.cuMemAlloc(&pointer, bytes);
  if (status == CUDA_ERROR_OUT_OF_MEMORY) {
    std::size_t free_bytes = 0, total = 0;
    driver.cuMemGetInfo(&free_bytes, &total);
    return fail(
        ErrorKind::bad_input,
        fmt::format("GPU out of memory: {} needs {}, and {} of {} are free; choose a smaller shape, or stop other "
                    "programs on this GPU",
                    purpose, bytes_text(static_cast<double>(bytes)), bytes_text(static_cast<double>(free_bytes)),
                    bytes_text(static_cast<double>(total))));
  }
  WT_CHECK(check_cuda(driver, status,
                      fmt::format("cannot allocate {} for {}", bytes_text(static_cast<double>(bytes)), purpose)));
  memory.memory_ = Handle<CUdeviceptr, &Driver::cuMemFree>(driver, pointer);
  memory.bytes_ = bytes;
  return memory;
}

Result<PinnedMemory> PinnedMemory::allocate(const Driver& driver, std::size_t bytes) {
  PinnedMemory memory;
  void* host = nullptr;
  const unsigned flags = CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE;
  WT_CHECK(check_cuda(driver, driver.cuMemHostAlloc(&host, bytes, flags), "cannot allocate pinned memory"));
  memory.memory_ = Handle<void*, &Driver::cuMemFreeHost>(driver, host);
  const CUresult mapped = driver.cuMemHostGetDevicePointer(&memory.device_, host, 0);
  WT_CHECK(check_cuda(driver, mapped, "cannot map pinned memory"));
  return memory;
}

} // namespace warptune
