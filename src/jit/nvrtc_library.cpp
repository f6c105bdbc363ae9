#include "jit/nvrtc_library.h"

#include "gpu/toolkit_search.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraryNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
constexpr int kOldestMajor = 12;

bool has_entry(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<std::string> include_directories(const fs::path& library) {
  std::vector<fs::path> roots = {library.parent_path().parent_path(),
                                 library.parent_path().parent_path().parent_path().parent_path()};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0') roots.emplace_back(root);
  roots.emplace_back("/usr/local/cuda");
  for (const fs::path& root : roots) {
    const fs::path include = root / "include";
    if (!has_entry(include / "cuda_fp16.h")) continue;
    std::vector<std::string> directories = {include.string()};
    if (has_entry(include / "cccl")) directories.push_back((include / "cccl").string()); // <cuda/std/...> since CUDA 13
    return directories;
  }
  return {};
}

constexpr const char* kAdvice =
    "install the CUDA Toolkit (12.6 or newer; no GPU is needed to compile), set CUDA_HOME to "
    "it, or name the library with WARPTUNE_NVRTC=/path/to/libnvrtc.so";

Result<const NvrtcLibrary*> load() {
  std::string tried;
  for (const std::string& path : toolkit_library_candidates("WARPTUNE_NVRTC", kLibraryNames)) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* why = dlerror();
      tried += fmt::format("\n  {}: {}", path, why == nullptr ? "cannot be opened" : why);
      continue;
    }
    static NvrtcLibrary& library = *new NvrtcLibrary; // never destroyed, because the process may end while it is in use
    std::string missing;
#define X(name)                                                                                                        \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name));                                       \
  if (library.name == nullptr) missing = #name;
    WT_NVRTC_FUNCTIONS(X)
#undef X
    if (!missing.empty()) {
      tried += fmt::format("\n  {}: has no {} (older than 12.0, or not NVRTC)", path, missing);
      continue;
    }
    if (library.nvrtcVersion(&library.info.major, &library.info.minor) != NVRTC_SUCCESS ||
        library.info.major < kOldestMajor) {
      tried += fmt::format("\n  {}: version {}.{} is too old", path, library.info.major, library.info.minor);
      continue;
    }
    library.nvrtcSetFlowCallback =
        reinterpret_cast<decltype(library.nvrtcSetFlowCallback)>(dlsym(handle, "nvrtcSetFlowCallback"));
    library.info.path = mapped_library_path(reinterpret_cast<void*>(library.nvrtcVersion), path);
    library.include_directories = include_directories(library.info.path);
    return &library;
  }
  return fail(ErrorKind::no_device,
              fmt::format("cannot compile: no usable NVRTC was found; {}. Tried:{}", kAdvice, tried));
}

} // namespace

const Result<const NvrtcLibrary*>& load_nvrtc() {
  static const auto& library = *new Result<const NvrtcLibrary*>(load());
  return library;
}

Result<NvrtcInfo> find_nvrtc() {
  WT_TRY(auto library, load_nvrtc());
  return library->info;
}

std::string compiler_name() {
  const auto& library = load_nvrtc(); // a copy of its error would need memory
  return library ? fmt::format("NVRTC {}.{}", (*library)->info.major, (*library)->info.minor) : "";
}

} // namespace warptune
