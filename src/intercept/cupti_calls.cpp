#include "intercept/cupti_calls.h"

#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace warptune::intercept {
namespace {

int visit(dl_phdr_info* info, std::size_t, void* data) {
  auto& path = *static_cast<std::string*>(data);
  if (path.empty() && std::strstr(info->dlpi_name, "libcupti.so") != nullptr) path = info->dlpi_name;
  return 0;
}

bool open(const std::string& path, CuptiCalls& calls, std::string& tried) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    tried += "\n  " + (why == nullptr ? path + " cannot be opened" : std::string(why));
    return false;
  }
  const char* missing = nullptr;
#define X(name)                                                                                                        \
  calls.name = reinterpret_cast<decltype(calls.name)>(dlsym(library, #name));                                          \
  if (calls.name == nullptr) missing = #name;
  WT_INTERCEPT_CUPTI_FUNCTIONS(X)
#undef X
  calls.path = path;
  if (missing != nullptr) tried += "\n  " + path + " has no " + missing;
  return missing == nullptr;
}

} // namespace

std::string CuptiCalls::text(CUptiResult status) const {
  const char* name = nullptr;
  if (cuptiGetResultString(status, &name) == CUPTI_SUCCESS && name != nullptr) return name;
  return "CUPTI error " + std::to_string(static_cast<int>(status));
}

const CuptiCalls* open_cupti(const std::string& candidates, std::string& tried) {
  static CuptiCalls calls;
  std::string loaded;
  dl_iterate_phdr(visit, &loaded);
  if (!loaded.empty() && open(loaded, calls, tried)) return &calls;
  for (std::size_t at = 0; at < candidates.size();) {
    const std::size_t end = std::min(candidates.find('\n', at), candidates.size());
    if (end > at && open(candidates.substr(at, end - at), calls, tried)) return &calls;
    at = end + 1;
  }
  return nullptr;
}

} // namespace warptune::intercept
