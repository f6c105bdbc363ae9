// The handles of the C interface as values, for tests.
#pragma once

#include "warptune/warptune.h"

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace warptune::test {

struct CloseLibrary {
  void operator()(wt_library* library) const { wt_close(library); }
};
using LibraryHandle = std::unique_ptr<wt_library, CloseLibrary>;

struct OperationHandle { // borrowed from the library
  const wt_operation* handle = nullptr;
  const wt_operation* get() const { return handle; }
};

inline LibraryHandle open_library(const std::filesystem::path& path) {
  wt_library* library = nullptr;
  if (wt_open(path.c_str(), &library) != WT_OK) throw std::runtime_error(wt_last_error());
  return LibraryHandle(library);
}

inline OperationHandle prepare(const LibraryHandle& library, const char* shape, const char* dtype = nullptr,
                               const char* kernel = "blend") {
  const wt_operation* operation = nullptr;
  if (wt_prepare(library.get(), kernel, shape, dtype, nullptr, &operation) != WT_OK)
    throw std::runtime_error(wt_last_error());
  return {operation};
}

inline const wt_kernel* find_kernel(const LibraryHandle& library, const char* kernel = "blend",
                                    const char* dtype = nullptr, const char* flags = nullptr) {
  const wt_kernel* found = nullptr;
  if (wt_find_kernel(library.get(), kernel, dtype, flags, &found) != WT_OK) throw std::runtime_error(wt_last_error());
  return found;
}

} // namespace warptune::test
