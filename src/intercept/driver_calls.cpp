#include "intercept/driver_calls.h"

#include <dlfcn.h>

namespace warptune::intercept {
namespace {

const DriverCalls* load() {
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) library = dlopen(nullptr, RTLD_LAZY); // linked under another name
  if (library == nullptr) return nullptr;
  static DriverCalls calls;
  const auto find = [library]<class Function>(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  };
  bool is_complete = true;
#define X(name) is_complete = find(#name, calls.name) && is_complete;
  WT_INTERCEPT_DRIVER_FUNCTIONS(X)
#undef X
  is_complete = find("cuMemcpyDtoHAsync_v2", calls.copy_to_host) && is_complete;
  is_complete = find("cuStreamDestroy_v2", calls.destroy_stream) && is_complete;
  find("cuFuncGetParamInfo", calls.function_param);
  find("cuKernelGetParamInfo", calls.kernel_param);
  return is_complete ? &calls : nullptr;
}

} // namespace

const DriverCalls* driver_calls() {
  static const DriverCalls* const calls = load();
  return calls;
}

} // namespace warptune::intercept
