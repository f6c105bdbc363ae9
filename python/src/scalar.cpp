#include "scalar.h"

#include "errors.h"

#include <cmath>
#include <cstring>
#include <string_view>

namespace warptune_python {
namespace {

namespace py = pybind11;

template <class T> std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// Rounds to nearest, ties to even, as the device does.
std::uint64_t bf16_bits(float value) {
  const auto bits = static_cast<std::uint32_t>(bits_of(value));
  if (std::isnan(value)) return 0x7fc0;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

std::uint64_t fp16_bits(double value) {
  const py::bytes packed = py::module_::import("struct").attr("pack")("<e", value); // raises on overflow
  const std::string text = packed;
  return static_cast<unsigned char>(text[0]) | static_cast<std::uint64_t>(static_cast<unsigned char>(text[1])) << 8;
}

// Two's complement of `bytes` bytes; false if the number does not fit.
bool integer_bits(PyObject* object, std::size_t bytes, bool is_signed, std::uint64_t& out) {
  PyObject* number = PyNumber_Index(object);
  if (number == nullptr) return PyErr_Clear(), false;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  const unsigned long long wide = overflow > 0 ? PyLong_AsUnsignedLongLong(number) : 0;
  const bool too_wide = PyErr_Occurred() != nullptr || overflow < 0;
  PyErr_Clear();
  Py_DECREF(number);
  if (too_wide) return false;
  out = overflow > 0 ? wide : static_cast<std::uint64_t>(value);
  if (bytes == 8) return is_signed ? overflow == 0 : overflow > 0 || value >= 0;
  const std::int64_t span = std::int64_t{1} << (8 * bytes);
  return overflow == 0 && value >= (is_signed ? -span / 2 : 0) && value < (is_signed ? span / 2 : span);
}

} // namespace

std::uint64_t scalar_bits(const warptune::Operation& operation, int index, PyObject* object,
                          const std::string& kernel) {
  const wt_arg_kind kind = operation.arg_kind(index);
  const std::string_view dtype = wt_operation_arg_dtype(operation.get(), index);
  const auto refuse = [&] {
    bad_input(kernel + ": '" + operation.arg_name(index) + "' takes a number of type " + std::string(dtype) + ", not " +
              py::str(py::handle(object)).cast<std::string>());
  };
  if (kind == WT_ARG_INTEGER) {
    std::uint64_t bits = 0;
    const bool is_signed = dtype.substr(0, 3) == "int";
    if (!integer_bits(object, operation.arg_bytes(index), is_signed, bits)) refuse();
    if (dtype == "bool" && bits > 1) refuse();
    return bits;
  }
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse();
  }
  if (kind == WT_ARG_FLOAT64) return bits_of(value);
  const auto narrow = static_cast<float>(value);
  if (std::isinf(narrow) && !std::isinf(value)) refuse();
  if (kind == WT_ARG_FLOAT32) return bits_of(narrow);
  if (dtype == "bf16") return bf16_bits(narrow);
  if (dtype == "fp16") return fp16_bits(value);
  refuse();
  return 0;
}

} // namespace warptune_python
