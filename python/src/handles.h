// What Python's objects hold: a library stays open as long as anything that came from it is referred to.
#pragma once

#include "workspaces.h"

#include <cstdint>
#include <memory>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>
#include <warptune/warptune.hpp>

namespace warptune_python {

struct OpenLibrary : warptune::Library {
  using Library::Library;
  Workspaces workspaces; // of its kernels' launches; they end with it
};

struct LibraryHandle {
  std::shared_ptr<OpenLibrary> library; // null: closed
  std::string path;

  const std::shared_ptr<OpenLibrary>& get() const {
    if (library == nullptr) throw warptune::Error(WT_BAD_INPUT, path + " is closed");
    return library;
  }
};

struct KernelHandle {
  std::shared_ptr<OpenLibrary> library;
  warptune::Kernel kernel;
  std::string name, dtype, flags;      // as asked for
  std::vector<pybind11::str> dims;     // interned, so that a keyword is compared by its address
  std::vector<std::string> lists;      // by dim: the list that it is a number of; empty: a plain dim
  std::vector<std::int64_t> defaults;  // by dim: its size where only others are named; -1: it has to be named
  std::vector<std::int64_t> last_dims; // of the last launch: selected before, so not worth to let other threads run
};

struct OperationHandle {
  std::shared_ptr<OpenLibrary> library;
  warptune::Operation operation;
  std::string name; // the kernel's
};

} // namespace warptune_python
