// The Python-like formulas of T1 files and Kernel Tuner caches: parsed, never executed by Python. Numbers, strings,
// lists, and/or/not, comparison chains, in, + - * / // % **, x if c else y, [f(i) for i in ...] and a few functions.
// Params are the only names in a formula.
#pragma once

#include "core/integer_program.h"
#include "core/result.h"
#include "interchange/python_value.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A slot holds the value itself, or its position in `values` if these are not all integers.
struct PyParam {
  std::string name;
  std::vector<PyValue> values;
  bool by_position = false;
};

// The params that formulas may name, and the strings of their values. Shared by all code with such values; strings are
// only added, never removed.
struct PyNames {
  std::vector<PyParam> params; // the params in the order of their slots
  std::set<std::string, std::less<>> texts;
};

class PythonExpr {
 public:
  // The error says what is wrong, at which column, and suggests the nearest name. Limits: 64 KiB, 100 levels of
  // nesting.
  static Result<PythonExpr> parse(std::string_view text, std::shared_ptr<PyNames> names);

  const std::string& text() const;
  const std::vector<int>& params() const { return params_; } // the params that the formula reads, ascending
  std::int64_t operations() const { return operations_; }    // maximum number of operations of one evaluation
  bool is_list() const;

  // Returns null on success, otherwise why the formula cannot be evaluated, and at which column: division by zero, an
  // integer beyond 64 bits, a string instead of a number, a list that is too large. Precondition: not a list.
  PyFault evaluate(const std::int64_t* slots, PyValue& result) const;
  std::string explain(const std::int64_t* slots) const; // why it cannot be evaluated, as a sentence; empty if it can

  // Compiles the formula to integer operations if its truth can be computed from integers; otherwise returns a negative
  // register. Slots of params begin at `first_slot`.
  IntegerProgram::Register compile(IntegerProgram& out, int first_slot) const;

  // Precondition: the formula is a list that reads no params.
  Result<std::vector<PyValue>> list() const;

  // Returns the operands of the outermost `and`; they share the parsed program.
  std::vector<PythonExpr> conjuncts() const;

  struct Program;

 private:
  PythonExpr(std::shared_ptr<const Program> program, int root);
  std::shared_ptr<const Program> program_;
  int root_ = 0;
  std::vector<int> params_;
  std::int64_t operations_ = 1;
};

} // namespace warptune
