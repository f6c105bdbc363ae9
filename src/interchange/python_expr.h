// The Python-like formulas of T1 files and Kernel Tuner caches: parsed, never executed by a Python. Numbers, texts,
// lists, and/or/not, chains of comparisons, in, + - * / // % **, x if c else y, [f(i) for i in ...] and a few
// functions. Knows names only as params with their values.
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

// What a slot holds: the value itself, or its position in `values` when those are not all integers.
struct PyParam {
  std::string name;
  std::vector<PyValue> values;
  bool by_position = false;
};

// What formulas may name, and the texts of their values. Shared by those who hold such values; texts are only added.
struct PyNames {
  std::vector<PyParam> params; // in the order of the slots
  std::set<std::string, std::less<>> texts;
};

class PythonExpr {
 public:
  // The error says what is wrong, at which column, and suggests the nearest name. Limits: 64 KiB, 100 levels of
  // nesting.
  static Result<PythonExpr> parse(std::string_view text, std::shared_ptr<PyNames> names);

  const std::string& text() const;
  const std::vector<int>& params() const { return params_; } // that it reads, ascending
  std::int64_t operations() const { return operations_; }    // at most, of one evaluation
  bool is_list() const;

  // Nothing, or why and at which column it cannot be evaluated: division by zero, an integer beyond 64 bits, a text
  // where a number belongs, too large a list. Precondition: not a list.
  PyFault evaluate(const std::int64_t* slots, PyValue& result) const;
  std::string explain(const std::int64_t* slots) const; // the same as a sentence; empty when it can be evaluated

  // The same over integers, where its truth can be had from them: else a negative register. Slots of params begin at
  // `first_slot`.
  IntegerProgram::Register compile(IntegerProgram& out, int first_slot) const;

  // Precondition: a list that reads no params.
  Result<std::vector<PyValue>> list() const;

  // The parts that `and` joins on the outside; they share what was parsed.
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
