// Converts failures of the library to the exceptions of warptune/errors.py.
#pragma once

#include <pybind11/pybind11.h>
#include <string>
#include <warptune/warptune.hpp>

namespace warptune_python {

// Sets Python's current error; the caller returns nullptr to the interpreter.
void set_python_error(const warptune::Error& error);

[[noreturn]] inline void bad_input(const std::string& text) { throw warptune::Error(WT_BAD_INPUT, text); }

} // namespace warptune_python
