// One evaluation of a Python-like formula, over values and over lists.
#include "interchange/python_program.h"

#include <algorithm>

namespace warptune {
namespace {

constexpr std::size_t kMaxList = 1 << 16;
constexpr PyFault kTooManySteps = "too many loop steps; use shorter lists";
constexpr PyFault kTooLong = "a list of more than 65536 values";

} // namespace

bool PyEvaluation::fail(PyFault fault, const PyNode& node) {
  if (fault_ == nullptr) {
    fault_ = fault;
    column_ = node.column;
  }
  return false;
}

bool PyEvaluation::scalar(std::int32_t n, PyValue& result) {
  const PyNode& node = p_.nodes[static_cast<std::size_t>(n)];
  PyValue left, right;
  switch (node.op) {
  case PyNode::Op::constant:
    result = node.value;
    return true;
  case PyNode::Op::param: {
    const PyParam& param = p_.names->params[static_cast<std::size_t>(node.index)];
    const std::int64_t slot = slots_[node.index];
    result = param.by_position ? param.values[static_cast<std::size_t>(slot)] : PyValue::of(slot);
    return true;
  }
  case PyNode::Op::local:
    result = locals_[static_cast<std::size_t>(node.index)];
    return true;
  case PyNode::Op::negate:
    return scalar(operand(node, 0), left) && check(py_negate(left, result), node);
  case PyNode::Op::plus:
    return scalar(operand(node, 0), left) &&
           check(py_apply(PyOperator::add, PyValue::of(std::int64_t{0}), left, result), node);
  case PyNode::Op::logical_not:
    if (!scalar(operand(node, 0), left)) return false;
    result = PyValue::of(!left.truthy());
    return true;
  case PyNode::Op::arithmetic:
    return scalar(operand(node, 0), left) && scalar(operand(node, 1), right) &&
           check(py_apply(static_cast<PyOperator>(node.index), left, right, result), node);
  case PyNode::Op::compare:
    return compare(node, result);
  case PyNode::Op::all_of:
  case PyNode::Op::any_of:
    for (std::int32_t i = 0; i < node.count; ++i) {
      if (!scalar(operand(node, i), result)) return false;
      if (result.truthy() == (node.op == PyNode::Op::any_of)) break;
    }
    return true;
  case PyNode::Op::choose:
    return scalar(operand(node, 0), left) && scalar(operand(node, left.truthy() ? 1 : 2), result);
  case PyNode::Op::call:
    return call(node, result);
  default:
    return fail("a list where a value is expected", node);
  }
}

bool PyEvaluation::compare(const PyNode& node, PyValue& result) {
  bool holds = true;
  PyValue left, right;
  if (!scalar(operand(node, 0), left)) return false;
  for (std::int32_t i = 1; i < node.count && holds; i += 2) {
    const std::int32_t how = operand(node, i), what = operand(node, i + 1);
    if (how >= kIn) {
      if (!contains(node, what, left, holds)) return false;
      if (how == kNotIn) holds = !holds;
      break; // the parser allows no further comparison
    }
    if (!scalar(what, right) || !check(py_compare(static_cast<PyComparison>(how), left, right, holds), node))
      return false;
    left = right;
  }
  result = PyValue::of(holds);
  return true;
}

bool PyEvaluation::contains(const PyNode& node, std::int32_t where, const PyValue& what, bool& found) {
  const PyNode& in = p_.nodes[static_cast<std::size_t>(where)];
  if (!in.is_list) {
    PyValue whole;
    if (!scalar(where, whole)) return false;
    if (!whole.is_text() || !what.is_text()) return fail("the right side of 'in' is not a list", node);
    found = whole.text->find(*what.text) != std::string::npos;
    return true;
  }
  std::vector<PyValue> made;
  const std::vector<PyValue>* values = &made;
  if (in.op == PyNode::Op::constant_list)
    values = &p_.lists[static_cast<std::size_t>(in.index)];
  else if (!list(where, made))
    return false;
  found = std::any_of(values->begin(), values->end(), [&](const PyValue& value) {
    bool same = false;
    py_compare(PyComparison::eq, value, what, same);
    return same;
  });
  return true;
}

bool PyEvaluation::call(const PyNode& node, PyValue& result) {
  std::vector<PyValue> values;
  const auto function = static_cast<PyFunction>(node.index);
  const bool of_list = node.count == 1 && p_.nodes[static_cast<std::size_t>(operand(node, 0))].is_list;
  if (of_list) return list(operand(node, 0), values) && fold(node, values, result);
  PyValue value;
  if (!scalar(operand(node, 0), value)) return false;
  switch (function) {
  case PyFunction::abs:
    return check(py_abs(value, result), node);
  case PyFunction::int_of:
    return check(py_int(value, result), node);
  case PyFunction::float_of:
    if (value.is_text()) return fail("a string where a number is expected", node);
    result = PyValue::of(value.as_number());
    return true;
  case PyFunction::bool_of:
    result = PyValue::of(value.truthy());
    return true;
  case PyFunction::round:
    return check(py_round(value, result), node);
  case PyFunction::len:
    if (!value.is_text()) return fail("a number has no length", node);
    result = PyValue::of(static_cast<std::int64_t>(value.text->size()));
    return true;
  default:
    break;
  }
  if (node.count == 1) return fail("a value where a list is expected", node);
  const auto better = function == PyFunction::min ? PyComparison::lt : PyComparison::gt;
  result = value;
  for (std::int32_t i = 1; i < node.count; ++i) {
    bool wins = false;
    if (!scalar(operand(node, i), value) || !check(py_compare(better, value, result, wins), node)) return false;
    if (wins) result = value;
  }
  return true;
}

// Functions of a whole list.
bool PyEvaluation::fold(const PyNode& node, const std::vector<PyValue>& values, PyValue& result) {
  const auto function = static_cast<PyFunction>(node.index);
  const auto truthy = [](const PyValue& value) { return value.truthy(); };
  switch (function) {
  case PyFunction::len:
    result = PyValue::of(static_cast<std::int64_t>(values.size()));
    return true;
  case PyFunction::any:
    result = PyValue::of(std::any_of(values.begin(), values.end(), truthy));
    return true;
  case PyFunction::all:
    result = PyValue::of(std::all_of(values.begin(), values.end(), truthy));
    return true;
  case PyFunction::bool_of:
    result = PyValue::of(!values.empty());
    return true;
  case PyFunction::sum:
    result = PyValue::of(std::int64_t{0});
    for (const PyValue& value : values)
      if (!check(py_apply(PyOperator::add, PyValue(result), value, result), node)) return false;
    return true;
  case PyFunction::min:
  case PyFunction::max:
    break;
  default:
    return fail("a list where a value is expected", node);
  }
  if (values.empty()) return fail("the minimum or maximum of an empty list", node);
  result = values[0];
  for (const PyValue& value : values) {
    bool wins = false;
    const auto better = function == PyFunction::min ? PyComparison::lt : PyComparison::gt;
    if (!check(py_compare(better, value, result, wins), node)) return false;
    if (wins) result = value;
  }
  return true;
}

bool PyEvaluation::append(const PyNode& node, const PyValue& value, std::vector<PyValue>& result) {
  if (result.size() == kMaxList) return fail(kTooLong, node);
  result.push_back(value);
  return true;
}

bool PyEvaluation::list(std::int32_t n, std::vector<PyValue>& result) {
  const PyNode& node = p_.nodes[static_cast<std::size_t>(n)];
  PyValue value;
  switch (node.op) {
  case PyNode::Op::constant_list:
    for (const PyValue& each : p_.lists[static_cast<std::size_t>(node.index)])
      if (!append(node, each, result)) return false;
    return true;
  case PyNode::Op::list:
    for (std::int32_t i = 0; i < node.count; ++i)
      if (!scalar(operand(node, i), value) || !append(node, value, result)) return false;
    return true;
  case PyNode::Op::join:
    return list(operand(node, 0), result) && list(operand(node, 1), result);
  case PyNode::Op::choose:
    return scalar(operand(node, 0), value) && list(operand(node, value.truthy() ? 1 : 2), result);
  case PyNode::Op::range:
    return range(node, result);
  case PyNode::Op::comprehension:
    return comprehension(node, result);
  default:
    return fail("a value where a list is expected", node);
  }
}

bool PyEvaluation::range(const PyNode& node, std::vector<PyValue>& result) {
  std::array<std::int64_t, 3> at = {0, 0, 1}; // begin, end, step
  for (std::int32_t i = 0; i < node.count; ++i) {
    PyValue value;
    if (!scalar(operand(node, i), value)) return false;
    if (!value.is_integer()) return fail("range() takes only integers", node);
    at[static_cast<std::size_t>(node.count == 1 ? 1 : i)] = value.integer;
  }
  const auto [begin, end, step] = at;
  if (step == 0) return fail("the step of range() is zero", node);
  for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
    if (++steps_ > most_steps_) return fail(kTooManySteps, node);
    if (!append(node, PyValue::of(i), result)) return false;
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return true;
}

bool PyEvaluation::comprehension(const PyNode& node, std::vector<PyValue>& result) {
  std::vector<PyValue> over;
  if (!list(operand(node, 1), over)) return false;
  // The element is evaluated for each value, so a step costs as much as its size.
  const PyNode& element = p_.nodes[static_cast<std::size_t>(operand(node, 0))];
  const std::int64_t cost = operand(node, 0) - element.begin + 1 + node.count;
  for (const PyValue& each : over) {
    steps_ += cost;
    if (steps_ > most_steps_) return fail(kTooManySteps, node);
    locals_[static_cast<std::size_t>(node.index)] = each;
    bool wanted = true;
    for (std::int32_t i = 2; i < node.count && wanted; ++i) {
      PyValue condition;
      if (!scalar(operand(node, i), condition)) return false;
      wanted = condition.truthy();
    }
    PyValue value;
    if (wanted && (!scalar(operand(node, 0), value) || !append(node, value, result))) return false;
  }
  return true;
}

} // namespace warptune
