#include "gpu/driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr int kOldestDriver = 12000; // 12.0: cuLaunchKernelEx and tensor maps
constexpr int kFunctionVersion = 12000;

const char* library_name() {
  const char* chosen = std::getenv("WARPTUNE_LIBCUDA");
  return chosen != nullptr && *chosen != '\0' ? chosen : "libcuda.so.1";
}

Result<const Driver*> load() {
  const char* name = library_name();
  void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return fail(ErrorKind::no_device,
                fmt::format("no NVIDIA driver on this machine ({}); install the driver, or use a machine with a GPU",
                            why == nullptr ? name : why));
  }
  static Driver driver;
  const auto get_version = reinterpret_cast<decltype(&::cuDriverGetVersion)>(dlsym(handle, "cuDriverGetVersion"));
  const auto get_address = reinterpret_cast<decltype(&::cuGetProcAddress)>(dlsym(handle, "cuGetProcAddress_v2"));
  if (get_version != nullptr) get_version(&driver.version);
  if (get_address == nullptr || driver.version < kOldestDriver)
    return fail(
        ErrorKind::no_device,
        fmt::format(
            "the NVIDIA driver is too old: {} supports CUDA {}.{}, but 12.0 is needed; install driver 525 or newer",
            name, driver.version / 1000, driver.version % 1000 / 10));
  std::string missing;
#define X(function)                                                                                                    \
  {                                                                                                                    \
    void* address = nullptr;                                                                                           \
    CUdriverProcAddressQueryResult found{};                                                                            \
    if (get_address(#function, &address, kFunctionVersion, CU_GET_PROC_ADDRESS_DEFAULT, &found) != CUDA_SUCCESS ||     \
        address == nullptr)                                                                                            \
      missing = #function;                                                                                             \
    driver.function = reinterpret_cast<decltype(driver.function)>(address);                                            \
  }
  WT_DRIVER_FUNCTIONS(X)
#undef X
  if (!missing.empty())
    return fail(ErrorKind::no_device,
                fmt::format("the NVIDIA driver {} has no {}; install a newer driver", name, missing));
  if (const CUresult status = driver.cuInit(0); status != CUDA_SUCCESS) {
    if (status == CUDA_ERROR_NO_DEVICE)
      return fail(ErrorKind::no_device, "the NVIDIA driver is installed but finds no device; check whether nvidia-smi "
                                        "lists one and whether CUDA_VISIBLE_DEVICES hides it");
    return fail(ErrorKind::no_device,
                fmt::format("the NVIDIA driver cannot be used: cuInit returned {}", cuda_error_text(driver, status)));
  }
  return &driver;
}

} // namespace

Result<const Driver*> load_driver() {
  static const auto& driver = *new Result<const Driver*>(load()); // never destroyed: threads may call this at exit
  return driver;
}

std::string cuda_error_text(const Driver& driver, CUresult status) {
  const char *name = nullptr, *text = nullptr;
  driver.cuGetErrorName(status, &name);
  driver.cuGetErrorString(status, &text);
  if (name == nullptr) return fmt::format("CUDA error {}", static_cast<int>(status));
  return text == nullptr ? std::string(name) : fmt::format("{} ({})", name, text);
}

Result<void> check_cuda(const Driver& driver, CUresult status, const std::string& what) {
  if (status == CUDA_SUCCESS) return {};
  return fail(status == CUDA_ERROR_NO_DEVICE || status == CUDA_ERROR_INVALID_DEVICE ? ErrorKind::no_device
                                                                                    : ErrorKind::internal,
              fmt::format("{}: {}", what, cuda_error_text(driver, status)));
}

Result<void> check_load(const Driver& driver, CUresult status, const std::string& what) {
  auto checked = check_cuda(driver, status, what);
  if (checked) return checked;
  switch (status) {
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_INVALID_SOURCE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_NOT_FOUND:
    return fail(ErrorKind::no_candidate, checked.error().message);
  default:
    return is_fatal_cuda_error(status) ? fail(ErrorKind::no_device, checked.error().message) : checked;
  }
}

std::string no_such_device_text(int ordinal, int count) {
  if (count <= 0) return fmt::format("no device cuda:{}: this machine has no CUDA device", ordinal);
  if (count == 1) return fmt::format("no device cuda:{}: this machine has only cuda:0", ordinal);
  return fmt::format("no device cuda:{}: this machine has cuda:0 to cuda:{}", ordinal, count - 1);
}

bool is_fatal_cuda_error(CUresult status) {
  switch (status) {
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_UNKNOWN:
    return true;
  default:
    return false;
  }
}

} // namespace warptune
