#include "torch_glue.h"

#include "driver.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace warptune_python {
namespace {

namespace py = pybind11;

constexpr const char* kCapsule = "warptune.unwatched";

py::object interned(const char* name) { return py::reinterpret_steal<py::object>(PyUnicode_InternFromString(name)); }

struct Checks {
  py::tuple types;
  py::object is_grad_enabled;
  std::vector<py::object> watchers;
  py::object is_cuda = interned("is_cuda"), requires_grad = interned("requires_grad"), is_neg = interned("is_neg");
};

bool is_true(PyObject* result) {
  if (result == nullptr) throw py::error_already_set();
  const bool truth = result != Py_False && result != Py_None && PyObject_IsTrue(result) != 0;
  Py_DECREF(result);
  return truth;
}

bool is_plain(const Checks& checks, PyObject* tensor) {
  const auto type = py::handle(reinterpret_cast<PyObject*>(Py_TYPE(tensor)));
  return std::any_of(checks.types.begin(), checks.types.end(), [&](py::handle known) { return known.is(type); }) &&
         is_true(PyObject_GetAttr(tensor, checks.is_cuda.ptr())) &&
         !is_true(PyObject_CallMethodNoArgs(tensor, checks.is_neg.ptr())) &&
         !(is_true(PyObject_GetAttr(tensor, checks.requires_grad.ptr())) &&
           is_true(PyObject_CallNoArgs(checks.is_grad_enabled.ptr())));
}

PyObject* unwatched(PyObject* self, PyObject* const* tensors, Py_ssize_t count) {
  try {
    const auto& checks = *static_cast<const Checks*>(PyCapsule_GetPointer(self, kCapsule));
    const bool is_unwatched =
        std::all_of(tensors, tensors + count,
                    [&](PyObject* tensor) { return tensor == Py_None || is_plain(checks, tensor); }) &&
        std::none_of(checks.watchers.begin(), checks.watchers.end(),
                     [](const py::object& watcher) { return is_true(PyObject_CallNoArgs(watcher.ptr())); });
    return PyBool_FromLong(is_unwatched ? 1 : 0);
  } catch (py::error_already_set& error) {
    error.restore();
    return nullptr;
  }
}

PyObject* current_device(PyObject*, PyObject*) {
  const Driver* driver = find_driver();
  void* context = nullptr;
  int device = -1;
  if (driver != nullptr && driver->get_current(&context) == 0 && context != nullptr) driver->get_device(&device);
  return PyLong_FromLong(device);
}

// Python recognises METH_FASTCALL by the flag; the type must be cast.
PyMethodDef unwatched_method = {"unwatched", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(unwatched)),
                                METH_FASTCALL,
                                "unwatched(*tensors): returns whether a call with these tensors may skip torch's "
                                "dispatcher; each tensor may be None."};

PyMethodDef current_device_method = {"current_device", current_device, METH_NOARGS,
                                     "current_device(): the device of the current CUDA context; -1: there is none."};

py::object function_of(PyMethodDef& method, PyObject* self) {
  PyObject* made = PyCFunction_New(&method, self);
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

} // namespace

py::object make_unwatched(const py::tuple& types, const py::object& is_grad_enabled, const py::tuple& watchers) {
  auto checks = std::make_unique<Checks>();
  checks->types = types;
  checks->is_grad_enabled = is_grad_enabled;
  for (const py::handle watcher : watchers) checks->watchers.push_back(py::reinterpret_borrow<py::object>(watcher));
  const py::capsule self(checks.release(), kCapsule, [](PyObject* capsule) {
    delete static_cast<Checks*>(PyCapsule_GetPointer(capsule, kCapsule));
  });
  return function_of(unwatched_method, self.ptr());
}

py::object make_current_device() { return function_of(current_device_method, nullptr); }

} // namespace warptune_python
