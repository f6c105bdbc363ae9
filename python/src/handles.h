// The data of the Python objects. A library stays open as long as any object that came from it is referenced.
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
  Workspaces workspaces; // workspaces for launches of the library's kernels; freed with the library
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
  std::vector<pybind11::str> dims;     // interned strings, so that keywords can be compared by address
  std::vector<std::string> lists;      // for each dim, the list to which it belongs; empty: a plain dim
  std::vector<std::int64_t> defaults;  // for each dim, its size if a call does not name it; -1: every call must name it
  std::vector<std::int64_t> last_dims; // of the last selection; for an equal one, select() keeps the interpreter's lock
  std::size_t last_alignment = 0;      // of the last selection; 0: there was none
};

struct OperationHandle {
  std::shared_ptr<OpenLibrary> library;
  warptune::Operation operation;
  std::string name; // the kernel's
};

} // namespace warptune_python
