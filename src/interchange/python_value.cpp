#include "interchange/python_value.h"

#include "core/text.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace warptune {
namespace {

constexpr PyFault kOverflow = "an integer beyond 64 bits";
constexpr PyFault kNumberOverflow = "a number beyond the range of floating point";
constexpr PyFault kZero = "division by zero";
constexpr PyFault kText = "a string where a number is expected";
constexpr std::int64_t kMinInteger = std::numeric_limits<std::int64_t>::min();

PyFault give(std::int64_t value, PyValue& result) {
  result = PyValue::of(value);
  return nullptr;
}

PyFault give(double value, PyValue& result) {
  result = PyValue::of(value);
  return nullptr;
}

PyFault integer_power(std::int64_t base, std::int64_t exponent, PyValue& result) {
  if (exponent < 0) {
    if (base == 0) return kZero;
    return give(std::pow(static_cast<double>(base), static_cast<double>(exponent)), result);
  }
  std::int64_t power = 1;
  for (;; exponent >>= 1) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(power, base, &power)) return kOverflow;
    if (exponent <= 1) break;
    if (__builtin_mul_overflow(base, base, &base)) return kOverflow;
  }
  return give(power, result);
}

PyFault apply_integers(PyOperator op, std::int64_t a, std::int64_t b, PyValue& result) {
  std::int64_t value = 0;
  switch (op) {
  case PyOperator::add:
    return __builtin_add_overflow(a, b, &value) ? kOverflow : give(value, result);
  case PyOperator::sub:
    return __builtin_sub_overflow(a, b, &value) ? kOverflow : give(value, result);
  case PyOperator::mul:
    return __builtin_mul_overflow(a, b, &value) ? kOverflow : give(value, result);
  case PyOperator::div:
    if (b == 0) return kZero;
    return give(static_cast<double>(static_cast<long double>(a) / static_cast<long double>(b)), result);
  case PyOperator::floor_div:
    if (b == 0) return kZero;
    if (a == kMinInteger && b == -1) return kOverflow;
    return give(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0), result);
  case PyOperator::mod:
    if (b == 0) return kZero;
    if (b == -1) return give(std::int64_t{0}, result); // the processor traps on INT64_MIN % -1
    value = a % b;
    return give(value != 0 && (value < 0) != (b < 0) ? value + b : value, result);
  case PyOperator::pow:
    return integer_power(a, b, result);
  }
  return "an operator that does not exist";
}

// The remainder has the divisor's sign, and the quotient is the floor that matches it.
void divide_numbers(double a, double b, double& quotient, double& remainder) {
  remainder = std::fmod(a, b);
  double whole = (a - remainder) / b;
  if (remainder == 0) {
    remainder = std::copysign(0.0, b);
  } else if ((b < 0) != (remainder < 0)) {
    remainder += b;
    whole -= 1;
  }
  quotient = std::floor(whole);
  if (whole == 0)
    quotient = std::copysign(0.0, a / b);
  else if (whole - quotient > 0.5)
    quotient += 1;
}

PyFault apply_numbers(PyOperator op, double a, double b, PyValue& result) {
  double quotient = 0, remainder = 0;
  switch (op) {
  case PyOperator::add:
    return give(a + b, result);
  case PyOperator::sub:
    return give(a - b, result);
  case PyOperator::mul:
    return give(a * b, result);
  case PyOperator::div:
    return b == 0 ? kZero : give(a / b, result);
  case PyOperator::floor_div:
  case PyOperator::mod:
    if (b == 0) return kZero;
    divide_numbers(a, b, quotient, remainder);
    return give(op == PyOperator::mod ? remainder : quotient, result);
  case PyOperator::pow: {
    if (a == 0 && b < 0) return kZero;
    if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) return "a root of a negative number";
    const double power = std::pow(a, b);
    if (std::isinf(power) && std::isfinite(a) && std::isfinite(b)) return kNumberOverflow;
    return give(power, result);
  }
  }
  return "an operator that does not exist";
}

template <class T> bool compare(PyComparison comparison, const T& a, const T& b) {
  switch (comparison) {
  case PyComparison::eq:
    return a == b;
  case PyComparison::ne:
    return a != b;
  case PyComparison::lt:
    return a < b;
  case PyComparison::le:
    return a <= b;
  case PyComparison::gt:
    return a > b;
  case PyComparison::ge:
    return a >= b;
  }
  return false;
}

// Represents both 64-bit integers and doubles exactly.
long double exact(const PyValue& value) {
  return value.is_integer() ? static_cast<long double>(value.integer) : static_cast<long double>(value.number);
}

PyFault round_to_integer(double value, PyValue& result) {
  constexpr double kBeyond = 9223372036854775808.0; // 2^63
  if (std::isnan(value)) return "NaN cannot become an integer";
  if (!(value >= -kBeyond && value < kBeyond)) return kOverflow;
  return give(static_cast<std::int64_t>(value), result);
}

} // namespace

bool PyValue::truthy() const {
  if (is_integer()) return integer != 0;
  return is_text() ? !text->empty() : number != 0;
}

std::string py_text(const PyValue& value) {
  switch (value.kind) {
  case PyValue::Kind::integer:
    return std::to_string(value.integer);
  case PyValue::Kind::boolean:
    return value.integer != 0 ? "True" : "False";
  case PyValue::Kind::text:
    return *value.text;
  case PyValue::Kind::number:
    break;
  }
  std::string text = fmt::format("{}", value.number);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

PyFault py_apply(PyOperator op, const PyValue& a, const PyValue& b, PyValue& result) {
  if (a.is_integer() && b.is_integer()) return apply_integers(op, a.integer, b.integer, result);
  if (a.is_text() || b.is_text()) return kText;
  return apply_numbers(op, a.as_number(), b.as_number(), result);
}

PyFault py_compare(PyComparison comparison, const PyValue& a, const PyValue& b, bool& result) {
  if (a.is_integer() && b.is_integer()) {
    result = compare(comparison, a.integer, b.integer);
  } else if (a.is_text() != b.is_text()) {
    if (comparison > PyComparison::ne) return "a string compared with a number";
    result = comparison == PyComparison::ne;
  } else if (a.is_text()) {
    result = compare(comparison, *a.text, *b.text);
  } else {
    result = compare(comparison, exact(a), exact(b));
  }
  return nullptr;
}

PyFault py_negate(const PyValue& a, PyValue& result) {
  if (a.is_text()) return kText;
  if (!a.is_integer()) return give(-a.number, result);
  return a.integer == kMinInteger ? kOverflow : give(-a.integer, result);
}

PyFault py_abs(const PyValue& a, PyValue& result) {
  if (a.is_text()) return kText;
  if (!a.is_integer()) return give(std::fabs(a.number), result);
  return a.integer < 0 ? py_negate(a, result) : give(a.integer, result);
}

PyFault py_int(const PyValue& a, PyValue& result) {
  if (a.is_integer()) return give(a.integer, result);
  if (!a.is_text()) return round_to_integer(std::trunc(a.number), result);
  std::int64_t value = 0;
  const IntegerError wrong = parse_integer(trim(*a.text), value);
  if (wrong == IntegerError::none) return give(value, result);
  return wrong == IntegerError::overflow ? kOverflow : "a string that is not an integer cannot be converted to one";
}

PyFault py_round(const PyValue& a, PyValue& result) {
  if (a.is_text()) return kText;
  return a.is_integer() ? give(a.integer, result) : round_to_integer(std::nearbyint(a.number), result);
}

} // namespace warptune
