// Converts a Python number to the bits of a kernel's scalar argument; refuses a number that does not fit.
#pragma once

#include <cstdint>
#include <pybind11/pybind11.h>
#include <string>
#include <warptune/warptune.hpp>

namespace warptune_python {

std::uint64_t scalar_bits(const warptune::Operation& operation, int index, PyObject* object, const std::string& kernel);

} // namespace warptune_python
