// kernel(x, y, stream=...) and operation(x, y): Python's arguments -> checked values -> wt_launch. Every launch runs
// this code, so it calls Python as rarely as possible.
#pragma once

#include "handles.h"

#include <pybind11/pybind11.h>

namespace warptune_python {

// tp_call of both classes: sets a Python error and returns null on failure, else None.
PyObject* call_kernel(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* call_operation(PyObject* self, PyObject* args, PyObject* kwargs);

// Reads a stream from a number, or from an object of torch, CuPy or cuda.core that has a stream.
void* read_stream(const pybind11::handle& stream);

} // namespace warptune_python
