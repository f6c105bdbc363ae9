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
struct ReleaseOperation {
  void operator()(wt_operation* operation) const { wt_release(operation); }
};
using LibraryHandle = std::unique_ptr<wt_library, CloseLibrary>;
using OperationHandle = std::unique_ptr<wt_operation, ReleaseOperation>;

inline LibraryHandle open_library(const std::filesystem::path& path) {
  wt_library* library = nullptr;
  if (wt_open(path.c_str(), &library) != WT_OK) throw std::runtime_error(wt_last_error());
  return LibraryHandle(library);
}

inline OperationHandle prepare(const LibraryHandle& library, const char* shape, const char* dtype = nullptr,
                               const char* kernel = "blend") {
  wt_operation* operation = nullptr;
  if (wt_prepare(library.get(), kernel, shape, dtype, nullptr, &operation) != WT_OK)
    throw std::runtime_error(wt_last_error());
  return OperationHandle(operation);
}

} // namespace warptune::test
