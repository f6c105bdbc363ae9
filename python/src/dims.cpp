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
    bad_input(kernel + ": the dim '" + name() + "' is " + shown(value) + ", but it must be a whole number");
  }
  int overflow = 0;
  const long long dim = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (overflow != 0)
    bad_input(kernel + ": the dim '" + name() + "' is " + shown(value) + ", which does not fit 64 bits");
  return dim;
}

constexpr std::size_t kNumbers = 4; // dims that a list takes

std::size_t width_of(const KernelHandle& kernel, std::size_t dim) { return kernel.lists[dim].empty() ? 1 : kNumbers; }

std::string name_of(const KernelHandle& kernel, std::size_t dim) {
  return kernel.lists[dim].empty() ? kernel.dims[dim].cast<std::string>() : kernel.lists[dim];
}

// Returns the index of the dim with this name, or of the first number of the list with this name; the number of dims if
// there is neither.
std::size_t find_dim(const KernelHandle& kernel, PyObject* key) {
  std::size_t dim = 0;
  for (; dim < kernel.dims.size(); dim += width_of(kernel, dim))
    if (kernel.lists[dim].empty() ? is_name(key, kernel.dims[dim].ptr()) : shown(key) == kernel.lists[dim]) break;
  return dim;
}

void read_at(const KernelHandle& kernel, std::size_t dim, PyObject* value, std::vector<std::int64_t>& dims) {
  if (kernel.lists[dim].empty()) {
    dims[dim] = read_dim(kernel.name, kernel.dims[dim], value);
    return;
  }
  const auto items =
      py::reinterpret_steal<py::object>(PyUnicode_Check(value) != 0 ? nullptr : PySequence_Fast(value, ""));
  if (!items) {
    PyErr_Clear();
    bad_input(kernel.name + ": the dim '" + kernel.lists[dim] + "' is " + shown(value) +
              ", but it must be a list of whole numbers");
  }
  std::vector<std::int64_t> sizes;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i)
    sizes.push_back(read_dim(kernel.name, py::str(kernel.lists[dim]), PySequence_Fast_GET_ITEM(items.ptr(), i)));
  const warptune::List list(sizes);
  std::copy(list.numbers().begin(), list.numbers().end(), dims.begin() + static_cast<std::ptrdiff_t>(dim));
}

} // namespace

std::string shown(PyObject* object) { return py::str(py::handle(object)).cast<std::string>(); }
bool is_stream_key(PyObject* key) { return is_name(key, kStream); }
bool is_workspace_key(PyObject* key) { return is_name(key, kWorkspace); }

std::string dim_names(const KernelHandle& kernel) {
  std::string text;
  for (std::size_t i = 0; i < kernel.dims.size(); i += width_of(kernel, i))
    text += (text.empty() ? "" : ", ") + name_of(kernel, i);
  return text;
}

std::vector<std::int64_t> dims_in_order(const KernelHandle& kernel, PyObject* sequence) {
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(sequence));
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < kernel.dims.size(); i += width_of(kernel, i)) ++wanted;
  if (count != wanted)
    bad_input(std::to_string(count) + (count == 1 ? " dim was given, but " : " dims were given, but ") + kernel.name +
              " has " + std::to_string(wanted) + ": " + dim_names(kernel));
  std::vector<std::int64_t> dims(kernel.dims.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i, at += width_of(kernel, at))
    read_at(kernel, at, PyTuple_GET_ITEM(sequence, static_cast<Py_ssize_t>(i)), dims);
  return dims;
}

std::vector<std::int64_t> dims_by_name(const KernelHandle& kernel, PyObject* kwargs, bool is_launch) {
  if (kwargs == nullptr || PyDict_GET_SIZE(kwargs) == 0) return {};
  std::vector<std::int64_t> dims = kernel.defaults;
  std::vector<bool> known(kernel.dims.size());
  PyObject *key = nullptr, *value = nullptr;
  bool any = false;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value) != 0;) {
    const std::size_t index = find_dim(kernel, key);
    if (index == kernel.dims.size()) {
      if (is_launch && (is_stream_key(key) || is_workspace_key(key))) continue;
      bad_input(kernel.name + " has no dim '" + shown(key) + "'; it has " + dim_names(kernel));
    }
    read_at(kernel, index, value, dims);
    known[index] = any = true;
  }
  for (std::size_t i = 0; any && i < known.size(); i += width_of(kernel, i))
    if (!known[i] && dims[i] < 0) bad_input(kernel.name + ": the dim '" + name_of(kernel, i) + "' is missing");
  return any ? dims : std::vector<std::int64_t>{};
}

std::vector<std::int64_t> read_dims(const KernelHandle& kernel, const py::args& args, const py::kwargs& kwargs) {
  std::vector<std::int64_t> named = dims_by_name(kernel, kwargs.ptr(), false);
  if (named.empty()) {
    // Either one tuple of all dims, as in a call, or the dims as separate arguments.
    const bool is_tuple = args.size() == 1 && PyTuple_Check(PyTuple_GET_ITEM(args.ptr(), 0)) != 0;
    return dims_in_order(kernel, is_tuple ? PyTuple_GET_ITEM(args.ptr(), 0) : args.ptr());
  }
  if (!args.empty()) bad_input(kernel.name + ": dims were given both in order and by name; give them in one way only");
  return named;
}

} // namespace warptune_python
