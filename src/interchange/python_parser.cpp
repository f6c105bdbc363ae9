// The operators of Python-like formulas, one function per precedence, and the entry points of the parser.
#include "interchange/python_parser.h"

#include "core/text.h"

#include <algorithm>
#include <array>

namespace warptune {
namespace {

constexpr std::size_t kMaxText = std::size_t{64} * 1024;

} // namespace

PyParser::PyParser(std::string_view text, std::shared_ptr<PyNames> names, Program& program)
    : text_(text), params_(names->params), texts_(names->texts), p_(program) {
  p_.text = std::string(text);
  p_.names = std::move(names);
  advance();
}

std::int32_t PyParser::parse() {
  const std::int32_t root = expression();
  if (ok() && token_.kind != PyToken::end) unexpected("the end or an operator");
  for (const PyNode& node : p_.nodes)
    if (ok() && node.op == Op::unknown) unknown_name(node);
  return root;
}

std::int32_t PyParser::fail(const std::string& what, std::size_t begin) {
  if (ok()) error_ = with_column(what, begin + 1, text_);
  token_ = {};
  token_.begin = text_.size();
  at_ = text_.size();
  return 0;
}

std::int32_t PyParser::unexpected(const std::string& expected) {
  if (token_.kind == PyToken::end) return fail("the formula ends where " + expected + " is expected", token_.begin);
  if (token_.kind == PyToken::wrong) return fail(token_.content, token_.begin);
  return fail("unexpected " + quote(token_.text) + " where " + expected + " is expected", token_.begin);
}

std::int32_t PyParser::expression() {
  if (++depth_ > kMaxDepth) return too_deep(token_.begin);
  const std::int32_t first = size();
  const std::size_t begin = token_.begin;
  std::int32_t made = any_of();
  if (accept("if")) {
    const std::int32_t condition = scalar(any_of(), begin);
    if (!is("else")) return unexpected("the 'else' of the 'if'");
    advance();
    const std::int32_t otherwise = expression();
    if (ok() && is_list(made) != is_list(otherwise))
      return fail("a conditional expression gives a list in one case and a value in the other", begin);
    made = make(Op::choose, begin, first, {condition, made, otherwise});
  }
  --depth_;
  return made;
}

std::int32_t PyParser::logical(Op op, std::string_view word, std::int32_t (PyParser::*operand)()) {
  const std::int32_t first = size();
  const std::size_t begin = token_.begin;
  std::int32_t made = (this->*operand)();
  if (!is(word)) return made;
  std::vector<std::int32_t> operands = {scalar(made, begin)};
  while (accept(word)) {
    const std::size_t next = token_.begin;
    operands.push_back(scalar((this->*operand)(), next));
  }
  return make(op, begin, first, std::move(operands));
}

std::int32_t PyParser::any_of() { return logical(Op::any_of, "or", &PyParser::all_of); }

std::int32_t PyParser::all_of() { return logical(Op::all_of, "and", &PyParser::logical_not); }

std::int32_t PyParser::logical_not() {
  const std::int32_t first = size();
  const std::size_t begin = token_.begin;
  if (!is("not")) return comparison();
  if (++depth_ > kMaxDepth) return too_deep(begin);
  advance();
  const std::int32_t operand = scalar(logical_not(), begin);
  --depth_;
  return make(Op::logical_not, begin, first, {operand});
}

// The comparison operator that begins here, or -1.
std::int32_t PyParser::comparison_sign() {
  static constexpr std::array<std::pair<std::string_view, PyComparison>, 6> kSigns = {{{"==", PyComparison::eq},
                                                                                       {"!=", PyComparison::ne},
                                                                                       {"<", PyComparison::lt},
                                                                                       {"<=", PyComparison::le},
                                                                                       {">", PyComparison::gt},
                                                                                       {">=", PyComparison::ge}}};
  if (accept("in")) return kIn;
  if (accept("not")) {
    if (!accept("in")) unexpected("'in'");
    return kNotIn;
  }
  for (const auto& [sign, comparison] : kSigns)
    if (token_.kind == PyToken::symbol && accept(sign)) return static_cast<std::int32_t>(comparison);
  return -1;
}

std::int32_t PyParser::comparison() {
  const std::int32_t first = size();
  const std::size_t begin = token_.begin;
  std::vector<std::int32_t> operands = {sum()};
  for (std::size_t sign = token_.begin;; sign = token_.begin) {
    const std::int32_t how = comparison_sign();
    if (how < 0 || !ok()) break;
    if (operands.size() > 1 && (how >= kIn || operands[operands.size() - 2] >= kIn))
      return fail("'in' inside a chain of comparisons; use parentheses", sign);
    const std::size_t next = token_.begin;
    const std::int32_t operand = sum();
    operands.push_back(how);
    operands.push_back(how >= kIn ? operand : scalar(operand, next));
  }
  if (operands.size() == 1) return operands[0];
  scalar(operands[0], begin);
  return make(Op::compare, begin, first, std::move(operands));
}

std::int32_t PyParser::binary(std::initializer_list<std::pair<std::string_view, PyOperator>> table,
                              std::int32_t (PyParser::*operand)()) {
  const std::int32_t first = size();
  std::int32_t left = (this->*operand)();
  for (;;) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) {
      return token_.kind == PyToken::symbol && token_.text == row.first;
    });
    if (found == table.end()) return left;
    const std::size_t begin = token_.begin;
    advance();
    const std::int32_t right = (this->*operand)();
    if (is_list(left) && is_list(right) && found->second == PyOperator::add)
      left = make(Op::join, begin, first, {left, right});
    else
      left = make(Op::arithmetic, begin, first, {scalar(left, begin), scalar(right, begin)},
                  static_cast<std::int32_t>(found->second));
  }
}

std::int32_t PyParser::sum() { return binary({{"+", PyOperator::add}, {"-", PyOperator::sub}}, &PyParser::product); }

std::int32_t PyParser::product() {
  return binary({{"*", PyOperator::mul}, {"/", PyOperator::div}, {"//", PyOperator::floor_div}, {"%", PyOperator::mod}},
                &PyParser::sign);
}

std::int32_t PyParser::sign() {
  const std::int32_t first = size();
  const std::size_t begin = token_.begin;
  const bool minus = is("-");
  if (!minus && !is("+")) return power();
  if (++depth_ > kMaxDepth) return too_deep(begin);
  advance();
  const std::int32_t operand = scalar(sign(), begin);
  --depth_;
  return make(minus ? Op::negate : Op::plus, begin, first, {operand});
}

std::int32_t PyParser::power() {
  const std::int32_t first = size();
  const std::int32_t base = primary();
  const std::size_t begin = token_.begin;
  if (!accept("**")) return base;
  if (++depth_ > kMaxDepth) return too_deep(begin);
  const std::int32_t exponent = sign(); // signs bind tighter only on its right: 2**-1, -2**2 == -4
  --depth_;
  return make(Op::arithmetic, begin, first, {scalar(base, begin), scalar(exponent, begin)},
              static_cast<std::int32_t>(PyOperator::pow));
}

Result<PythonExpr> PythonExpr::parse(std::string_view text, std::shared_ptr<PyNames> names) {
  if (text.size() > kMaxText)
    return fail(ErrorKind::bad_input, "the formula " + quote(text) + " is longer than 64 KiB; make it shorter");
  auto program = std::make_shared<Program>();
  PyParser parser(text, std::move(names), *program);
  const std::int32_t root = parser.parse();
  if (!parser.error().empty()) return fail(ErrorKind::bad_input, parser.error());
  return PythonExpr(std::move(program), root);
}

} // namespace warptune
