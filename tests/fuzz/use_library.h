// Calls the library on a file as an application does. Whatever the file's content is, each call gives an answer or an
// error.
#pragma once

#include "support/fake_cuda.h"
#include "support/paths.h"
#include "unit/runtime/library.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace warptune::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Makes the library use no driver, compiler or cache except stand-ins and files below `dir`.
inline void stand_apart(const std::filesystem::path& dir) {
  ::setenv("XDG_CACHE_HOME", (dir / "cache").c_str(), 1);
  ::setenv("WARPTUNE_LIBCUDA", (test::program_dir() / "libwt_fake_cuda.so").c_str(), 1);
  ::setenv("WARPTUNE_NVRTC", "libno_such_nvrtc.so", 1);
  fake_set_context(reinterpret_cast<void*>(0x1000));
}

inline void use_library(const std::filesystem::path& path) {
  wt_library* opened = nullptr;
  if (wt_open(path.c_str(), &opened) != WT_OK) return require(*wt_last_error() != '\0');
  const test::LibraryHandle library(opened);
  for (int i = 0; i < wt_kernel_count(library.get()); ++i) {
    const wt_kernel* kernel = nullptr;
    if (wt_find_kernel(library.get(), wt_kernel_name(library.get(), i), nullptr, nullptr, &kernel) != WT_OK) continue;
    for (const std::int64_t rows : {9, 64, 5000}) {
      const std::int64_t dims[] = {rows, 100, 1, 1};
      const int count = std::min(wt_kernel_dim_count(kernel), 4);
      const char* text = nullptr;
      const wt_operation* operation = nullptr;
      (void)wt_kernel_explain(kernel, dims, count, 0, "NVIDIA H200", nullptr, &text);
      if (wt_select(kernel, dims, count, 0, nullptr, &operation) != WT_OK) continue;
      require(*wt_operation_config(operation) != '\0' && *wt_operation_explain(operation) != '\0');
    }
  }
}

} // namespace warptune::fuzz
