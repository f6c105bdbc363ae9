#include "gpu/devices.h"

#include "gpu/driver.h"
#include "gpu/nvml.h"

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <string>

namespace warptune {
namespace {

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

// Parses "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...".
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  return {};
}

std::string driver_text(const Driver& driver) {
  static const std::string& version = *new std::string([] { // never destroyed: threads may call this at exit
    std::string found = kernel_module_version();            // immediate; NVML takes milliseconds to start
    return found.empty() ? nvml_driver_version() : found;
  }());
  if (!version.empty()) return version;
  return fmt::format("CUDA {}.{}", driver.version / 1000, driver.version % 1000 / 10);
}

// Architecture-specific instructions (wgmma, setmaxnreg, ...) need the suffix; every chip since Hopper has one.
std::string arch_text(int major, int minor) { return fmt::format("sm_{}{}{}", major, minor, major >= 9 ? "a" : ""); }

Result<DeviceInfo> query(const Driver& driver, CUdevice device) {
  DeviceInfo info;
  CUresult status = CUDA_SUCCESS;
  const auto attribute = [&](CUdevice_attribute which) -> std::int64_t {
    int value = 0;
    const CUresult got = driver.cuDeviceGetAttribute(&value, which, device);
    if (got != CUDA_SUCCESS) status = got;
    return value;
  };
  std::array<char, 256> name{};
  driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
  info.name = name.data();
  CUuuid uuid{};
  if (driver.cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS) info.uuid = uuid_text(uuid);
  std::size_t memory = 0;
  driver.cuDeviceTotalMem(&memory, device);
  info.memory_bytes = static_cast<std::int64_t>(memory);
  info.driver = driver_text(driver);
  const auto major = static_cast<int>(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  const auto minor = static_cast<int>(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.arch = arch_text(major, minor);
  DeviceLimits& limits = info.limits;
  limits.compute_capability = major * 10 + minor;
  limits.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  limits.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  limits.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits.max_threads_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  limits.max_shared_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  limits.max_shared_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  limits.registers_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  limits.max_blocks_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  limits.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  // Needed only for theoretical roofs, so an unknown value is not an error.
  const auto maybe = [&](CUdevice_attribute which) {
    int value = 0;
    return driver.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS && value > 0 ? value : 0;
  };
  info.max_sm_clock_mhz = maybe(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e3; // converts from kHz
  info.memory_clock_mhz = maybe(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1e3;
  info.memory_bus_bits = maybe(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  WT_CHECK(check_cuda(driver, status, fmt::format("cannot read the limits of {}", info.name)));
  return info;
}

} // namespace

Result<std::vector<DeviceInfo>> list_cuda_devices() {
  WT_TRY(auto found, load_driver());
  const Driver& driver = *found;
  int count = 0;
  WT_CHECK(check_cuda(driver, driver.cuDeviceGetCount(&count), "cannot count the CUDA devices"));
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    WT_TRY(auto info, query_cuda_device(ordinal));
    devices.push_back(std::move(info));
  }
  if (devices.empty())
    return fail(ErrorKind::no_device, "the NVIDIA driver is installed but finds no device; check whether nvidia-smi "
                                      "lists one and whether CUDA_VISIBLE_DEVICES hides it");
  return devices;
}

Result<DeviceInfo> current_cuda_device() {
  WT_TRY(auto found, load_driver());
  const Driver& driver = *found;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUresult status = driver.cuCtxGetCurrent(&context);
  if (status == CUDA_SUCCESS && context == nullptr) status = CUDA_ERROR_INVALID_CONTEXT;
  if (status == CUDA_SUCCESS) status = driver.cuCtxGetDevice(&device);
  if (status == CUDA_ERROR_INVALID_CONTEXT)
    return fail(ErrorKind::no_device, "no CUDA context is current on this thread; first call cudaSetDevice, or "
                                      "cuCtxSetCurrent with the context to launch in");
  WT_CHECK(check_cuda(driver, status, "cannot find the device of the current CUDA context"));
  return query(driver, device);
}

Result<DeviceInfo> query_cuda_device(int ordinal) {
  WT_TRY(auto found, load_driver());
  CUdevice device = 0;
  if (const CUresult status = found->cuDeviceGet(&device, ordinal); status != CUDA_SUCCESS) {
    int count = 0;
    found->cuDeviceGetCount(&count);
    return fail(ErrorKind::no_device, no_such_device_text(ordinal, count));
  }
  return query(*found, device);
}

} // namespace warptune
