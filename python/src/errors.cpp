#include "errors.h"

namespace warptune_python {

namespace py = pybind11;

void set_python_error(const warptune::Error& error) {
  try {
    const py::object exception =
        py::module_::import("warptune.errors").attr("make_error")(static_cast<int>(error.status()), error.what());
    PyErr_SetObject(py::type::of(exception).ptr(), exception.ptr());
  } catch (py::error_already_set& failed) {
    failed.restore();
  }
}

} // namespace warptune_python
