#include "core/real_expr.h"

#include "core/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace warptune {

RealExpr::RealExpr(double value) : text_(fmt::format("{}", value)), ops_{{Code::constant, 1, 0, value}} {}

const char* RealExpr::apply(Code code, double a, double b, double& result) {
  switch (code) {
  case Code::negate:
    result = -a;
    break;
  case Code::sqrt:
    if (a < 0) return "sqrt of a negative number";
    result = std::sqrt(a);
    break;
  case Code::exp:
    result = std::exp(a);
    break;
  case Code::log:
  case Code::log2:
    if (a <= 0) return "the logarithm of a number that is not above 0";
    result = code == Code::log ? std::log(a) : std::log2(a);
    break;
  case Code::abs:
    result = std::fabs(a);
    break;
  case Code::add:
    result = a + b;
    break;
  case Code::sub:
    result = a - b;
    break;
  case Code::mul:
    result = a * b;
    break;
  case Code::div:
    if (b == 0) return "division by zero";
    result = a / b;
    break;
  case Code::pow:
    result = std::pow(a, b);
    break;
  case Code::min:
    result = std::min(a, b);
    break;
  case Code::max:
    result = std::max(a, b);
    break;
  case Code::eq:
    result = a == b;
    break;
  case Code::ne:
    result = a != b;
    break;
  case Code::lt:
    result = a < b;
    break;
  case Code::le:
    result = a <= b;
    break;
  case Code::gt:
    result = a > b;
    break;
  case Code::ge:
    result = a >= b;
    break;
  case Code::constant:
  case Code::slot:
  case Code::derived:
  case Code::jump:
  case Code::jump_if_zero:
    return "an unknown operation";
  }
  return std::isfinite(result) ? nullptr : "the result is not finite";
}

Result<double> RealExpr::evaluate(std::span<const std::int64_t> slots) const {
  if (!slots_.empty() && static_cast<std::size_t>(slots_.back()) >= slots.size())
    return fail(ErrorKind::internal, "the formula " + quote(text_) + " was given too few values");
  std::array<double, kMaxStack> stack;
  double* top = stack.data(); // one past the last value
  for (std::size_t at = 0; at < ops_.size(); ++at) {
    const Op& op = ops_[at];
    const auto target = static_cast<std::size_t>(op.target);
    switch (op.code) {
    case Code::constant:
      *top++ = op.value;
      continue;
    case Code::slot:
      *top++ = static_cast<double>(slots[target]);
      continue;
    case Code::derived: {
      WT_TRY(const std::int64_t value, derived_[target]->evaluate(slots));
      *top++ = static_cast<double>(value);
      continue;
    }
    case Code::jump:
      at = target - 1;
      continue;
    case Code::jump_if_zero:
      if (*--top == 0) at = target - 1;
      continue;
    default:
      break;
    }
    const double b = top[-1];
    if (op.code >= Code::add) --top;
    if (const char* wrong = apply(op.code, top[-1], b, top[-1]))
      return fail(ErrorKind::bad_input,
                  std::string(wrong) + " at column " + std::to_string(op.column) + " of " + quote(text_));
  }
  return stack[0];
}

} // namespace warptune
