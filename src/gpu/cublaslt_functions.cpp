#include "gpu/cublaslt_functions.h"

#include "core/text.h"
#include "gpu/toolkit_search.h"

#include <array>
#include <dlfcn.h>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::array<const char*, 3> kNames = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};

Result<CublasLt> open() {
  const std::vector<std::string> candidates = toolkit_library_candidates("WARPTUNE_CUBLASLT", kNames);
  void* library = nullptr;
  for (const std::string& path : candidates)
    if (library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); library != nullptr) break;
  if (library == nullptr)
    return fail(ErrorKind::no_candidate,
                fmt::format("no cuBLASLt: none of {} can be opened; install the CUDA Toolkit's "
                            "cuBLAS, or set WARPTUNE_CUBLASLT to the library",
                            fmt::join(candidates, ", ")));
  CublasLt functions;
  const char* missing = nullptr;
#define WARPTUNE_FIND(name)                                                                                            \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, #name));                                  \
  if (functions.name == nullptr) missing = #name;
  WARPTUNE_CUBLASLT_FUNCTIONS(WARPTUNE_FIND)
#undef WARPTUNE_FIND
  if (missing != nullptr)
    return fail(ErrorKind::no_candidate,
                fmt::format("this cuBLASLt has no {}; install cuBLASLt of CUDA Toolkit 12 or newer", missing));
  return functions;
}

} // namespace

Result<const CublasLt*> open_cublaslt() {
  static const Result<CublasLt> opened = open();
  if (!opened) return tl::make_unexpected(opened.error());
  return &*opened;
}

std::string describe(cublasStatus_t status) {
  switch (status) {
  case CUBLAS_STATUS_SUCCESS:
    return "CUBLAS_STATUS_SUCCESS";
  case CUBLAS_STATUS_NOT_INITIALIZED:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case CUBLAS_STATUS_ALLOC_FAILED:
    return "CUBLAS_STATUS_ALLOC_FAILED";
  case CUBLAS_STATUS_INVALID_VALUE:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case CUBLAS_STATUS_ARCH_MISMATCH:
    return "CUBLAS_STATUS_ARCH_MISMATCH";
  case CUBLAS_STATUS_EXECUTION_FAILED:
    return "CUBLAS_STATUS_EXECUTION_FAILED";
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  default:
    return fmt::format("cuBLAS status {}", static_cast<int>(status));
  }
}

} // namespace warptune
