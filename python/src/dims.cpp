#include "dims.h"

#include "errors.h"

#include <algorithm>

namespace warptune_python {
namespace {

namespace py = pybind11;

PyObject* const kStream = PyUnicode_InternFromString("stream");
PyObject* const kWorkspace = PyUnicode_InternFromString("workspace");

bool is_name(PyObject* key, PyObject* name) { return key == name || PyUnicode_Compare(key, name) == 0; }

std::int64_t read_dim(const std::string& kernel, const py::str& dim_name, PyObject* value) {
  const auto name = [&] { return dim_name.cast<std::string>(); };
  PyObject* number = PyBool_Check(value) != 0 ? nullptr : PyNumber_Index(value);
  if (number == nullptr) {
    PyErr_Clear();
    bad_input(kernel + ": the dim '" + name() + "' is " + shown(value) + " and has to be a whole number");
  }
  int overflow = 0;
  const long long dim = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (overflow != 0) bad_input(kernel + ": the dim '" + name() + "' is " + shown(value) + ", beyond 64 bits");
  return dim;
}

} // namespace

bool is_stream_key(PyObject* key) { return is_name(key, kStream); }
bool is_workspace_key(PyObject* key) { return is_name(key, kWorkspace); }
std::string shown(PyObject* object) { return py::str(py::handle(object)).cast<std::string>(); }

std::string dim_names(const KernelHandle& kernel) {
  std::string text;
  for (const py::str& name : kernel.dims) text += (text.empty() ? "" : ", ") + name.cast<std::string>();
  return text;
}

std::vector<std::int64_t> dims_in_order(const KernelHandle& kernel, PyObject* sequence) {
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(sequence));
  if (count != kernel.dims.size())
    bad_input(kernel.name + ": " + std::to_string(count) + " dims were given and it has " +
              std::to_string(kernel.dims.size()) + ": " + dim_names(kernel));
  std::vector<std::int64_t> dims(count);
  for (std::size_t i = 0; i < count; ++i)
    dims[i] = read_dim(kernel.name, kernel.dims[i], PyTuple_GET_ITEM(sequence, static_cast<Py_ssize_t>(i)));
  return dims;
}

std::vector<std::int64_t> dims_by_name(const KernelHandle& kernel, PyObject* kwargs, bool is_launch) {
  if (kwargs == nullptr || PyDict_GET_SIZE(kwargs) == 0) return {};
  std::vector<std::int64_t> dims(kernel.dims.size());
  std::vector<bool> known(kernel.dims.size());
  PyObject *key = nullptr, *value = nullptr;
  bool any = false;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value) != 0;) {
    const auto found =
        std::find_if(kernel.dims.begin(), kernel.dims.end(), [&](const py::str& d) { return is_name(key, d.ptr()); });
    if (found == kernel.dims.end()) {
      if (is_launch && (is_stream_key(key) || is_workspace_key(key))) continue;
      bad_input(kernel.name + " has no dim '" + shown(key) + "'; it has " + dim_names(kernel));
    }
    const auto index = static_cast<std::size_t>(found - kernel.dims.begin());
    dims[index] = read_dim(kernel.name, *found, value);
    known[index] = any = true;
  }
  for (std::size_t i = 0; any && i < known.size(); ++i)
    if (!known[i]) bad_input(kernel.name + ": the dim '" + kernel.dims[i].cast<std::string>() + "' is missing");
  return any ? dims : std::vector<std::int64_t>{};
}

std::vector<std::int64_t> read_dims(const KernelHandle& kernel, const py::args& args, const py::kwargs& kwargs) {
  std::vector<std::int64_t> named = dims_by_name(kernel, kwargs.ptr(), false);
  if (named.empty()) {
    // One tuple of all, as a call takes them, or one after the other.
    const bool is_tuple = args.size() == 1 && PyTuple_Check(PyTuple_GET_ITEM(args.ptr(), 0)) != 0;
    return dims_in_order(kernel, is_tuple ? PyTuple_GET_ITEM(args.ptr(), 0) : args.ptr());
  }
  if (!args.empty()) bad_input(kernel.name + ": dims were given in order and by name; give them once");
  return named;
}

} // namespace warptune_python
