// Reads the dims of a call, given as numbers in the kernel's order or by name. Each dim may be given only once. Also
// recognises the keywords stream and workspace.
#pragma once

#include "handles.h"

#include <cstdint>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

namespace warptune_python {

// Reads the dims from a tuple of numbers.
std::vector<std::int64_t> dims_in_order(const KernelHandle& kernel, PyObject* tuple);
// Reads the dims among the keywords, which may be null. Returns an empty list if no dim was named. Dims with a default
// may be left out. A launch may also have the keywords stream and workspace.
std::vector<std::int64_t> dims_by_name(const KernelHandle& kernel, PyObject* kwargs, bool is_launch);
// Reads the dims of select, prefetch and explain.
std::vector<std::int64_t> read_dims(const KernelHandle& kernel, const pybind11::args& args,
                                    const pybind11::kwargs& kwargs);

bool is_stream_key(PyObject* key);
bool is_workspace_key(PyObject* key);
std::string dim_names(const KernelHandle& kernel); // "rows, cols"
std::string shown(PyObject* object);               // the object as str() shows it

} // namespace warptune_python
