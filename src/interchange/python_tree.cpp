// Nodes of Python-like formulas. A node that reads no params becomes a constant.
#include "core/text.h"
#include "interchange/python_parser.h"

#include <algorithm>

namespace warptune {
namespace {

constexpr std::int32_t kMaxHeight = 400; // height of the tree; every operator in a row adds one
constexpr std::size_t kMaxFolded = 4096; // list values kept as constants

} // namespace

std::int32_t PyParser::make(Op op, std::size_t begin, std::int32_t first_node, std::vector<std::int32_t> operands,
                            std::int32_t index) {
  if (!ok()) return 0;
  PyNode made;
  made.op = op;
  made.column = static_cast<std::int32_t>(begin) + 1;
  made.index = index;
  made.begin = first_node;
  made.first = static_cast<std::int32_t>(p_.operands.size());
  made.count = static_cast<std::int32_t>(operands.size());
  made.is_list = op >= Op::constant_list;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (op != Op::compare || i % 2 == 0) made.depth = std::max(made.depth, node(operands[i]).depth + 1);
  if (made.depth > kMaxHeight)
    return fail("more than " + std::to_string(kMaxHeight) + " operators in a row or inside each other", begin);
  if (op == Op::choose) made.is_list = node(operands[1]).is_list;
  made.fixed = op == Op::comprehension ? is_closed(first_node) : all_fixed(op, operands);
  p_.operands.insert(p_.operands.end(), operands.begin(), operands.end());
  p_.nodes.push_back(made);
  return made.fixed ? fold(made) : size() - 1;
}

bool PyParser::all_fixed(Op op, const std::vector<std::int32_t>& operands) {
  for (std::size_t i = 0; i < operands.size(); ++i)
    if ((op != Op::compare || i % 2 == 0) && !node(operands[i]).fixed) return false;
  return true;
}

// True if the nodes from `begin` read only variables of comprehensions among them.
bool PyParser::is_closed(std::int32_t begin) const {
  return std::all_of(p_.nodes.begin() + begin, p_.nodes.end(),
                     [](const PyNode& n) { return n.op != Op::param && n.op != Op::unknown; });
}

// Replaces the last node by a constant, if it can be evaluated.
std::int32_t PyParser::fold(const PyNode& top) {
  PyEvaluation evaluation(p_, nullptr, kMaxLoopSteps);
  const std::int32_t root = size() - 1;
  PyValue value;
  std::vector<PyValue> values;
  if (fold_steps_ > kMaxLoopSteps) return root;
  const bool done = top.is_list ? evaluation.list(root, values) : evaluation.scalar(root, value);
  fold_steps_ += evaluation.steps();
  if (!done || listed_ + values.size() > kMaxFolded) return root;
  listed_ += values.size();
  p_.nodes.resize(static_cast<std::size_t>(top.begin));
  if (!top.is_list) return constant(value, static_cast<std::size_t>(top.column) - 1);
  p_.lists.push_back(std::move(values));
  return leaf(Op::constant_list, static_cast<std::size_t>(top.column) - 1,
              static_cast<std::int32_t>(p_.lists.size()) - 1);
}

std::int32_t PyParser::leaf(Op op, std::size_t begin, std::int32_t index) {
  PyNode made;
  made.op = op;
  made.column = static_cast<std::int32_t>(begin) + 1;
  made.index = index;
  made.begin = size();
  made.is_list = op == Op::constant_list;
  made.fixed = op == Op::constant || op == Op::constant_list;
  p_.nodes.push_back(made);
  return size() - 1;
}

std::int32_t PyParser::constant(const PyValue& value, std::size_t begin) {
  const std::int32_t made = leaf(Op::constant, begin, 0);
  node(made).value = value;
  return made;
}

// Binds the uses of a name between two nodes to the variable of a comprehension.
void PyParser::claim(std::string_view name, std::int32_t from, std::int32_t to, std::int32_t local) {
  for (std::int32_t n = from; n <= to; ++n) {
    PyNode& each = node(n);
    const bool meant = each.op == Op::unknown
                           ? names_[static_cast<std::size_t>(each.index)] == name
                           : each.op == Op::param && params_[static_cast<std::size_t>(each.index)].name == name;
    if (!meant) continue;
    each.op = Op::local;
    each.index = local;
  }
}

void PyParser::unknown_name(const PyNode& node) {
  const std::string& name = names_[static_cast<std::size_t>(node.index)];
  fail("unknown name " + quote(name) + suggest_name(name, names_of(params_)),
       static_cast<std::size_t>(node.column) - 1);
}

std::int32_t PyParser::scalar(std::int32_t n, std::size_t begin) {
  return is_list(n) ? fail("a list where a value is expected", begin) : n;
}

} // namespace warptune
