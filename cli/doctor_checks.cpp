#include "cli/doctor_checks.h"

#include "cli/units.h"
#include "db/reader.h"
#include "gpu/cublaslt_functions.h"
#include "gpu/devices.h"
#include "gpu/driver.h"
#include "gpu/nvml.h"
#include "jit/compiler.h"
#include "jit/cubin_cache.h"
#include "jit/template_store.h"
#include "profiler/cupti_info.h"
#include "recording/recording.h"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_writable(const fs::path& path) { return ::access(path.c_str(), W_OK) == 0; }

// The path, or the nearest folder above it that exists.
fs::path existing_parent(fs::path path) {
  while (!path.empty() && !is_there(path)) {
    const fs::path parent = path.parent_path();
    if (parent == path) break;
    path = parent;
  }
  return path.empty() ? fs::path(".") : path;
}

std::string loaded_library(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) continue;
    ::dlclose(handle);
    return name;
  }
  return "";
}

Check check_permission() {
  const CounterPermission permission = find_counter_permission();
  if (!permission.known)
    return {"counter access", false, "not known, because no NVIDIA driver is loaded", "nothing to do without a GPU"};
  if (!permission.granted)
    return {"counter access", false, "the driver restricts counters to administrators (RmProfilingAdminOnly is 1)",
            kPermissionAdvice};
  return {"counter access",
          true,
          permission.admin_only ? "granted, because this command runs as root (RmProfilingAdminOnly is 1)"
                                : "granted to all users",
          {}};
}

// The error without its advice: the check has its own.
std::string first_part(const std::string& sentence) { return sentence.substr(0, sentence.find("; ")); }

std::string clocks_text(const DeviceInfo& device) {
  const auto nvml = NvmlDevice::find(device.uuid);
  if (!nvml) return "";
  const DeviceReadings now = nvml->read();
  std::string text = now.sm_clock_mhz > 0 ? fmt::format(", {:.0f} MHz now", now.sm_clock_mhz) : "";
  if (now.temperature_c > 0) text += fmt::format(", {:.0f} C", now.temperature_c);
  if (const std::string throttled = throttle_text(now.throttle_reasons); !throttled.empty())
    text += ", throttled by " + throttled;
  return text;
}

} // namespace

// The CUDA version that the driver supports: "13.0".
static std::string cuda_version_text() {
  const auto driver = load_driver();
  return driver ? fmt::format("{}.{}", (*driver)->version / 1000, (*driver)->version % 1000 / 10) : "unknown";
}

std::vector<Check> check_gpus() {
  auto devices = list_cuda_devices();
  if (!devices || devices->empty())
    return {{"GPU", false, "no GPU here: " + (devices ? "the driver lists none" : first_part(devices.error().message)),
             "tuning from recordings works (warptune tune ... --device recorded); to measure, use a machine with an "
             "NVIDIA GPU and driver"}};
  std::vector<Check> checks;
  const std::string driver = nvml_driver_version();
  checks.push_back(
      {"driver", true, fmt::format("{} (CUDA {})", driver.empty() ? "loaded" : driver, cuda_version_text()), {}});
  for (std::size_t i = 0; i < devices->size(); ++i) {
    const DeviceInfo& d = (*devices)[i];
    checks.push_back({fmt::format("cuda:{}", i),
                      true,
                      fmt::format("{}, {}, {} SMs, {}{}", d.name, d.arch, d.limits.sm_count, bytes_text(d.memory_bytes),
                                  clocks_text(d)),
                      {}});
  }
  return checks;
}

Check check_nvrtc() {
  auto nvrtc = find_nvrtc();
  if (nvrtc) return {"NVRTC", true, fmt::format("{}.{} at {}", nvrtc->major, nvrtc->minor, nvrtc->path), {}};
  return {"NVRTC", false, nvrtc.error().message,
          "install the CUDA Toolkit to compile kernels; tuning from recordings does not need it"};
}

Check check_cublaslt() {
  const auto cublaslt = open_cublaslt();
  if (cublaslt)
    return {"cuBLASLt",
            true,
            fmt::format("{} at {}", version_text((*cublaslt)->cublasLtGetVersion()), (*cublaslt)->path),
            {}};
  return {"cuBLASLt", false, first_part(cublaslt.error().message),
          "install cuBLAS of the CUDA Toolkit (12 or newer), or name the library with WARPTUNE_CUBLASLT; tuning works "
          "without it, but `gemm` cannot be compared with cuBLASLt (--baseline)"};
}

std::vector<Check> check_counters() {
  const auto cupti = find_cupti();
  if (cupti) return {{"CUPTI", true, fmt::format("{} at {}", cupti->version, cupti->path), {}}, check_permission()};
  return {{"CUPTI", false, "no usable libcupti was found",
           "install the CUDA Toolkit with CUPTI (12.6 or newer), or name the library with WARPTUNE_LIBCUPTI; tuning "
           "works without it, but reports then show modelled instead of counted bytes and operations"},
          check_permission()};
}

// What NVML provides for the first GPU: ": gives energy, clocks, temperature, power (limit 700 W)".
static std::string nvml_knows() {
  const auto devices = list_cuda_devices();
  if (!devices || devices->empty()) return "";
  const auto nvml = NvmlDevice::find(devices->front().uuid);
  if (!nvml) return ", but it does not support this GPU";
  const DeviceReadings now = nvml->read();
  std::string has, lacks;
  const auto sort = [&](bool known, const char* what) {
    std::string& list = known ? has : lacks;
    list += (list.empty() ? "" : ", ") + std::string(what);
  };
  sort(nvml->energy_mj().has_value(), "energy");
  sort(now.sm_clock_mhz > 0, "clocks");
  sort(now.temperature_c > 0, "temperature");
  sort(now.power_w > 0, "power");
  if (const auto limit = nvml->power_limit_w()) has += fmt::format(" (limit {:.0f} W)", *limit);
  return (has.empty() ? "" : ": reports " + has) + (lacks.empty() ? "" : "; does not report " + lacks);
}

Check check_nvml() {
  const std::string library = loaded_library({"libnvidia-ml.so.1", "libnvidia-ml.so"});
  if (!library.empty()) return {"NVML", true, library + nvml_knows(), {}};
  return {"NVML", false, "libnvidia-ml was not found",
          "libnvidia-ml comes with the driver; without it, clocks, power, energy and temperature are not recorded"};
}

Check check_database(const std::string& given) {
  const fs::path path = database_path(given);
  const std::string where = path.string();
  std::error_code loop; // is_there is false for a loop of symbolic links
  if (!is_there(path) && !fs::is_symlink(path, loop)) {
    const fs::path parent = existing_parent(path);
    if (is_writable(parent)) return {"database", true, fmt::format("{} (made by the first `tune`)", where), {}};
    return {"database", false, fmt::format("{} cannot be made: {} is not writable", where, parent.string()),
            "choose another file with --db or WARPTUNE_DB"};
  }
  auto reader = Reader::open(path);
  if (!reader) return {"database", false, reader.error().message, "choose another file with --db or WARPTUNE_DB"};
  const std::string text = fmt::format("{}, schema {}", where, reader->schema_version());
  if (is_writable(path) && is_writable(fs::absolute(path).parent_path()))
    return {"database", true, text + ", writable", {}};
  return {"database", false, text + ", read-only, so `show` and `explain` work, but `tune` does not",
          "choose another file with --db or WARPTUNE_DB, or make it and its folder writable"};
}

Check check_templates() {
  const TemplateStore store = TemplateStore::standard();
  std::set<std::string> folders;
  std::size_t good = 0;
  std::string broken;
  for (const std::string& name : store.names()) {
    auto kernel = store.load(name);
    if (kernel) {
      ++good;
      folders.insert(fs::path(kernel->origin).parent_path().string());
    } else if (broken.empty()) {
      broken = kernel.error().message;
    }
  }
  std::string found = count_text(static_cast<std::int64_t>(good), "kernel");
  for (const std::string& folder : folders) found += " in " + folder;
  if (!broken.empty())
    return {"kernels", false, found + "; broken: " + broken, "fix that folder's spec.json (docs/spec.md)"};
  if (good > 0) return {"kernels", true, found, {}};
  return {"kernels", false, "no shipped kernels were found beside this program",
          "set WARPTUNE_TEMPLATES to the folder kernel_templates"};
}

Check check_cache() {
  const fs::path folder = CubinCache().directory();
  if (is_writable(existing_parent(folder)))
    return {"cubin cache", true, folder.string() + (is_there(folder) ? "" : " (made when needed)"), {}};
  return {"cubin cache", false, folder.string() + " is not writable", "set XDG_CACHE_HOME to a writable folder"};
}

Check check_recordings() {
  const fs::path folder = recordings_directory();
  std::map<std::string, int> by_kernel;
  for (const RecordingEntry& entry : list_recordings(folder)) ++by_kernel[entry.kernel];
  if (by_kernel.empty())
    return {"recordings", false, is_there(folder) ? "none in " + folder.string() : "none beside this program",
            "name a recording with --device recorded:PATH, or set WARPTUNE_RECORDINGS to a folder of recordings"};
  std::string kernels;
  for (const auto& [kernel, count] : by_kernel)
    kernels += fmt::format("{}{} ({})", kernels.empty() ? "" : ", ", kernel, count);
  return {"recordings", true, fmt::format("{}: {}", folder.string(), kernels), {}};
}

} // namespace warptune::cli
