#include "gpu/cublaslt_functions.h"

#include "gpu/toolkit_search.h"

#include <array>
#include <dlfcn.h>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::array<const char*, 3> kNames = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};
constexpr std::size_t kOldest = 120000; // an older library has other structures than the headers of CUDA 12 and 13

// Finds the functions in an opened library. Otherwise, the error is the reason, such as "is cuBLASLt 11.11".
Result<CublasLt> functions_of(void* library) {
  CublasLt functions;
  const char* missing = nullptr;
#define WARPTUNE_FIND(name)                                                                                            \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, #name));                                  \
  if (functions.name == nullptr) missing = #name;
  WARPTUNE_CUBLASLT_FUNCTIONS(WARPTUNE_FIND)
#undef WARPTUNE_FIND
  if (missing != nullptr) return fail(ErrorKind::no_candidate, fmt::format("has no {}", missing));
  if (functions.cublasLtGetVersion() < kOldest)
    return fail(ErrorKind::no_candidate, fmt::format("is cuBLASLt {}", version_text(functions.cublasLtGetVersion())));
  return functions;
}

// Whether dlopen found no file. Otherwise, its error says why it cannot load the file that it found.
bool is_absent(const std::string& path, const std::string& error) {
  return error.starts_with(path + ": ") && error.ends_with("No such file or directory");
}

} // namespace

std::string version_text(std::size_t version) { return fmt::format("{}.{}", version / 10000, version / 100 % 100); }

Result<CublasLt> load_cublaslt(std::span<const std::string> paths) {
  std::string unusable;
  const auto note = [&](const std::string& path, const std::string& why) {
    unusable += fmt::format("{}{} {}", unusable.empty() ? "" : ", ", path, why);
  };
  for (const std::string& path : paths) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* error = dlerror();
      const std::string text = error == nullptr ? "unknown error" : error;
      if (!is_absent(path, text)) note(path, "cannot be loaded (" + text + ")");
      continue;
    }
    Result<CublasLt> functions = functions_of(library);
    if (functions) {
      functions->path = mapped_library_path(reinterpret_cast<void*>(functions->cublasLtGetVersion), path);
      return functions;
    }
    note(path, functions.error().message);
    dlclose(library);
  }
  if (unusable.empty())
    return fail(ErrorKind::no_candidate,
                fmt::format("no cuBLASLt: none of {} can be opened; install the CUDA Toolkit's "
                            "cuBLAS, or set WARPTUNE_CUBLASLT to the library",
                            fmt::join(paths, ", ")));
  return fail(ErrorKind::no_candidate,
              fmt::format("no usable cuBLASLt: {}; install cuBLAS of CUDA Toolkit 12 or newer, or set "
                          "WARPTUNE_CUBLASLT to cuBLASLt 12.0 or newer",
                          unusable));
}

Result<const CublasLt*> open_cublaslt() {
  static const Result<CublasLt> opened = load_cublaslt(toolkit_library_candidates("WARPTUNE_CUBLASLT", kNames));
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
