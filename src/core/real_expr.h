// Formulas with real numbers (docs/spec.md, "Real-valued formulas") over the names of a Scope: "1 / sqrt(d)". Slots
// hold integers, which are converted to double when read; derived names are evaluated with integer arithmetic.
#pragma once

#include "core/expr.h"
#include "core/result.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

class RealExpr {
 public:
  RealExpr() : RealExpr(0) {}
  static RealExpr constant(double value) { return RealExpr(value); }

  // The error says what is wrong and at which column of `text`, and suggests the nearest known name. A formula without
  // slots is evaluated immediately and can fail with the errors of `evaluate`.
  static Result<RealExpr> parse(std::string_view text, const Scope& scope);

  // Division by zero and a non-finite result are errors of kind bad_input that quote the formula and the column.
  // Precondition: `slots` has a value for every index in slots().
  Result<double> evaluate(std::span<const std::int64_t> slots) const;

  const std::string& text() const { return text_; }
  const std::vector<int>& slots() const {
    return slots_;
  } // all slots it may read, including those of derived names; sorted
  bool is_constant() const { return slots_.empty(); }

 private:
  enum class Code : std::uint8_t {
    constant,
    slot,
    derived, // the operations constant, slot and derived push a value
    jump,
    jump_if_zero, // the operations jump and jump_if_zero use `target`
    negate,
    sqrt,
    exp,
    log,
    log2,
    abs, // the operations from negate to abs have one operand
    add,
    sub,
    mul,
    div,
    pow,
    min,
    max,
    eq,
    ne,
    lt,
    le,
    gt,
    ge, // the operations from add to ge have two operands
  };
  struct Op {
    Code code;
    std::int32_t column;
    std::int32_t target; // the target of a jump; otherwise the slot, or the index of the derived name
    double value;        // the value of a constant
  };
  static constexpr std::size_t kMaxStack = 256;

  explicit RealExpr(double value);
  static const char* apply(Code code, double a, double b, double& result); // nullptr, or the error

  std::string text_;
  std::vector<Op> ops_; // postfix
  std::vector<std::shared_ptr<const Expr>> derived_;
  std::vector<int> slots_;
  friend class RealExprParser;
};

} // namespace warptune
