// The Python-like formulas of T1 files and Kernel Tuner caches. They are parsed here and never executed by Python. The
// formulas may contain numbers, strings, lists, and/or/not, comparison chains, in, + - * / // % **, x if c else y,
// [f(i) for i in ...] and a few functions. The only names are those of params.
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

// A param and its values. Its slot holds the value itself if all values are integers; otherwise the value's position in
// `values`.
struct PyParam {
  std::string name;
  std::vector<PyValue> values;
  bool by_position = false;
};

// The params that formulas may name, and the strings among their values. A PyValue points to its string in this object,
// so all holders of PyValues share the object. Strings are never removed.
struct PyNames {
  std::vector<PyParam> params; // the params in the order of their slots
  std::set<std::string, std::less<>> texts;
};

class PythonExpr {
 public:
  // The error says what is wrong and at which column, and suggests the nearest name. Limits: 64 KiB, 100 levels of
  // nesting.
  static Result<PythonExpr> parse(std::string_view text, std::shared_ptr<PyNames> names);

  const std::string& text() const;
  const std::vector<int>& params() const { return params_; } // the params that the formula reads, ascending
  std::int64_t operations() const { return operations_; }    // maximum per evaluation
  bool is_list() const;

  // Returns null on success, otherwise why the formula cannot be evaluated: division by zero, an integer beyond 64
  // bits, a string instead of a number, or a list that is too large. Precondition: the formula is not a list.
  PyFault evaluate(const std::int64_t* slots, PyValue& result) const;
  std::string explain(const std::int64_t* slots)
      const; // a sentence with the reason and the column if evaluation fails; otherwise empty

  // Compiles the formula to integer operations. Returns a negative register if the formula's truth cannot be computed
  // from integers. The params' slots begin at `first_slot`.
  IntegerProgram::Register compile(IntegerProgram& out, int first_slot) const;

  // Returns the elements. Precondition: the formula is a list that reads no params.
  Result<std::vector<PyValue>> list() const;

  // Splits the formula at its outermost `and`s. The parts share the parsed program.
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
