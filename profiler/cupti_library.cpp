#include "profiler/cupti_library.h"

#include "gpu/toolkit_search.h"
#include "profiler/cupti_info.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace warptune {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

constexpr const char* kAdvice = "install the CUDA Toolkit with CUPTI (12.6 or newer), set CUDA_HOME to it, or name the "
                                "library with WARPTUNE_LIBCUPTI=/path/to/libcupti.so; tuning works without it";

// CUPTI numbers its interface; since CUDA 12.0 as major * 10000 + minor * 100 + update, 13.0 being 130000.
std::string toolkit_version(std::uint32_t number) {
  return number >= 100000 ? fmt::format("{}.{}", number / 10000, number % 10000 / 100) : fmt::format("API {}", number);
}

Result<const CuptiLibrary*> load() {
  std::string tried;
  for (const std::string& path : toolkit_library_candidates("WARPTUNE_LIBCUPTI", kNames)) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* why = dlerror();
      tried += fmt::format("\n  {}: {}", path, why == nullptr ? "cannot be opened" : why);
      continue;
    }
    static CuptiLibrary library;
    std::string missing;
#define X(name)                                                                                                        \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name));                                       \
  if (library.name == nullptr) missing = #name;
    WT_CUPTI_FUNCTIONS(X)
#undef X
#define X(name) library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name));
    WT_CUPTI_SASS_FUNCTIONS(X)
#undef X
    if (!missing.empty()) {
      tried += fmt::format("\n  {}: has no {} (older than 12.6, or not CUPTI)", path, missing);
      continue;
    }
    std::uint32_t number = 0;
    library.cuptiGetVersion(&number);
    library.version = toolkit_version(number);
    library.path = mapped_library_path(reinterpret_cast<void*>(library.cuptiGetVersion), path);
    return &library;
  }
  return fail(ErrorKind::no_device,
              fmt::format("hardware counters cannot be read: no usable CUPTI was found; {}. Tried:{}", kAdvice, tried));
}

} // namespace

bool CuptiLibrary::has_sass_metrics() const {
#define X(name)                                                                                                        \
  if ((name) == nullptr) return false;
  WT_CUPTI_SASS_FUNCTIONS(X)
#undef X
  return true;
}

Result<const CuptiLibrary*> load_cupti() {
  static const Result<const CuptiLibrary*> library = load();
  return library;
}

std::string cupti_error_text(const CuptiLibrary& cupti, CUptiResult status) {
  const char* name = nullptr;
  if (cupti.cuptiGetResultString(status, &name) == CUPTI_SUCCESS && name != nullptr) return name;
  return fmt::format("CUPTI error {}", static_cast<int>(status));
}

Result<CuptiInfo> find_cupti() {
  WT_TRY(auto library, load_cupti());
  return CuptiInfo{library->version, library->path};
}

CounterPermission find_counter_permission() {
  CounterPermission permission;
  std::ifstream params("/proc/driver/nvidia/params");
  if (!params) return permission;
  permission.known = true;
  for (std::string line; std::getline(params, line);)
    if (line.starts_with("RmProfilingAdminOnly:")) permission.admin_only = line.find('1') != std::string::npos;
  permission.granted = !permission.admin_only || ::geteuid() == 0;
  return permission;
}

} // namespace warptune
