// The values of Python-like formulas (python_expr.h) and the operators on them. They behave as in Python, except that
// an integer beyond 64 bits is an error.
#pragma once

#include <cstdint>
#include <string>

namespace warptune {

struct PyValue {
  enum class Kind : std::uint8_t { integer, boolean, number, text } kind = Kind::integer;
  union {
    std::int64_t integer = 0; // for a boolean: 0 or 1
    double number;
    const std::string* text; // owned by the code that made the value (PyNames::texts)
  };

  static PyValue of(std::int64_t value) { return make(Kind::integer, value); }
  static PyValue of(bool value) { return make(Kind::boolean, value ? 1 : 0); }
  static PyValue of(double value) {
    PyValue made;
    made.kind = Kind::number;
    made.number = value;
    return made;
  }
  static PyValue of(const std::string* value) {
    PyValue made;
    made.kind = Kind::text;
    made.text = value;
    return made;
  }

  bool is_integer() const { return kind <= Kind::boolean; } // a boolean counts as an integer, as in Python
  bool is_text() const { return kind == Kind::text; }
  double as_number() const {
    return is_integer() ? static_cast<double>(integer) : number;
  } // precondition: not a string
  bool truthy() const;

 private:
  static PyValue make(Kind kind, std::int64_t value) {
    PyValue made;
    made.kind = kind;
    made.integer = value;
    return made;
  }
};

std::string py_text(const PyValue& value); // as Python prints the value (1.0, True), but strings without quotes

enum class PyOperator : std::uint8_t { add, sub, mul, div, floor_div, mod, pow };
enum class PyComparison : std::uint8_t { eq, ne, lt, le, gt, ge };

// Null on success; otherwise the reason why the operation is not possible.
using PyFault = const char*;
PyFault py_apply(PyOperator op, const PyValue& a, const PyValue& b, PyValue& result);
PyFault py_compare(PyComparison comparison, const PyValue& a, const PyValue& b, bool& result);
PyFault py_negate(const PyValue& a, PyValue& result);
PyFault py_abs(const PyValue& a, PyValue& result);
PyFault py_int(const PyValue& a, PyValue& result);   // rounds towards zero
PyFault py_round(const PyValue& a, PyValue& result); // rounds to an integer; ties to even

} // namespace warptune
