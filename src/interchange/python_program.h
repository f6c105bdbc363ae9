// A parsed Python-like formula: a list of nodes, each stored after its operands. Private to python_*.cpp.
#pragma once

#include "interchange/python_expr.h"

#include <array>

namespace warptune {

struct PyNode {
  enum class Op : std::uint8_t {
    // Scalars.
    constant,
    param,   // `index`
    local,   // `index`: the number of a comprehension's variable
    unknown, // a name not yet bound to a comprehension; `index`: into the parser's names
    negate,
    plus,
    logical_not,
    arithmetic, // `index`: PyOperator
    compare,    // operands: the first node, then a Comparison and a node, repeated
    all_of,     // `and`
    any_of,     // `or`
    choose,     // operands: condition, value if true, value if false; a list if both values are lists
    call,       // `index`: PyFunction
    // Lists.
    constant_list, // `index` into lists
    list,
    range,
    join,          // list + list
    comprehension, // `index`: the number of its variable; operands: element, list, conditions
  } op = Op::constant;
  bool is_list = false,
       fixed = false; // fixed: its value depends on no param and on no variable of an outer comprehension
  std::int32_t column = 0;
  std::int32_t index = 0;
  std::int32_t first = 0, count = 0; // the node's operands: a range of Program::operands
  std::int32_t begin = 0;            // index of the first node of its subtree
  std::int32_t depth = 1;
  PyValue value; // the value of a constant
};

enum class PyFunction : std::int32_t { min, max, abs, int_of, float_of, bool_of, round, len, sum, any, all };
inline constexpr std::int32_t kIn = 100,
                              kNotIn = 101; // stand for `in` and `not in` among the operands of a compare node
inline constexpr std::size_t kMaxLocals = 8;
// Steps that all loops of one evaluation may take together. This number of steps takes about a millisecond.
inline constexpr std::int64_t kMaxLoopSteps = 200'000;

struct PythonExpr::Program {
  std::string text;
  std::vector<PyNode> nodes;
  std::vector<std::int32_t> operands;
  std::vector<std::vector<PyValue>> lists;
  std::shared_ptr<PyNames> names;
};

// One evaluation of a program. Keeps the first error.
class PyEvaluation {
 public:
  // More than `most_steps` loop steps in total are an error.
  PyEvaluation(const PythonExpr::Program& program, const std::int64_t* slots, std::int64_t most_steps)
      : p_(program), slots_(slots), most_steps_(most_steps) {}
  bool scalar(std::int32_t node, PyValue& result);
  bool list(std::int32_t node, std::vector<PyValue>& result);
  PyFault fault() const { return fault_; }
  std::int32_t column() const { return column_; }
  std::int64_t steps() const { return steps_; }

 private:
  bool fail(PyFault fault, const PyNode& node);
  bool check(PyFault fault, const PyNode& node) { return fault == nullptr || fail(fault, node); }
  std::int32_t operand(const PyNode& node, std::int32_t i) const {
    return p_.operands[static_cast<std::size_t>(node.first + i)];
  }
  bool compare(const PyNode& node, PyValue& result);
  bool contains(const PyNode& node, std::int32_t where, const PyValue& what, bool& found);
  bool call(const PyNode& node, PyValue& result);
  bool fold(const PyNode& node, const std::vector<PyValue>& values, PyValue& result);
  bool range(const PyNode& node, std::vector<PyValue>& result);
  bool comprehension(const PyNode& node, std::vector<PyValue>& result);
  bool append(const PyNode& node, const PyValue& value, std::vector<PyValue>& result);

  const PythonExpr::Program& p_;
  const std::int64_t* slots_;
  std::array<PyValue, kMaxLocals> locals_;
  std::int64_t most_steps_, steps_ = 0; // counts of loop steps
  PyFault fault_ = nullptr;
  std::int32_t column_ = 0;
};

} // namespace warptune
