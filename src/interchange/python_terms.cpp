// The operands of Python-like formulas: numbers, texts, names, lists, comprehensions and calls.
#include "core/text.h"
#include "interchange/python_parser.h"

#include <algorithm>
#include <array>

namespace warptune {
namespace {

constexpr std::array<std::pair<std::string_view, PyFunction>, 11> kFunctions = {{{"min", PyFunction::min},
                                                                                 {"max", PyFunction::max},
                                                                                 {"abs", PyFunction::abs},
                                                                                 {"int", PyFunction::int_of},
                                                                                 {"float", PyFunction::float_of},
                                                                                 {"bool", PyFunction::bool_of},
                                                                                 {"round", PyFunction::round},
                                                                                 {"len", PyFunction::len},
                                                                                 {"sum", PyFunction::sum},
                                                                                 {"any", PyFunction::any},
                                                                                 {"all", PyFunction::all}}};

bool is_word(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kWords = {"and", "or",   "not",   "in",   "if",    "else",
                                                              "for", "True", "False", "None", "lambda"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

} // namespace

std::int32_t PyParser::primary() {
  const PyToken token = token_;
  switch (token.kind) {
  case PyToken::integer:
    advance();
    return constant(PyValue::of(token.value), token.begin);
  case PyToken::number:
    advance();
    return constant(PyValue::of(token.real), token.begin);
  case PyToken::string:
    advance();
    return constant(PyValue::of(&*texts_.insert(token.content).first), token.begin);
  case PyToken::name:
    return name(token);
  case PyToken::symbol:
    if (token.text == "(") return parentheses();
    if (token.text == "[" || token.text == "{") return list(token.text == "[" ? "]" : "}");
    break;
  default:
    break;
  }
  return unexpected("a number, a name, a list or '('");
}

std::int32_t PyParser::parentheses() {
  const std::int32_t first = size();
  const std::size_t begin = token_.begin;
  advance();
  const std::int32_t inner = expression();
  if (!is(",")) {
    expect(")");
    return inner;
  }
  return items(begin, first, inner, ")"); // a tuple
}

std::int32_t PyParser::list(std::string_view close) {
  const std::int32_t first = size();
  const std::size_t begin = token_.begin;
  advance();
  if (accept(close)) return make(Op::list, begin, first, {});
  const std::int32_t inner = expression();
  if (is("for")) return comprehension(begin, first, inner, close);
  return items(begin, first, inner, close);
}

// Parses the rest of a list or a tuple.
std::int32_t PyParser::items(std::size_t begin, std::int32_t first, std::int32_t inner, std::string_view close) {
  std::vector<std::int32_t> operands = {scalar(inner, begin)};
  while (accept(",") && !is(close)) {
    const std::size_t next = token_.begin;
    operands.push_back(scalar(expression(), next));
  }
  expect(close);
  return make(Op::list, begin, first, std::move(operands));
}

std::int32_t PyParser::comprehension(std::size_t begin, std::int32_t first, std::int32_t element,
                                     std::string_view close) {
  scalar(element, begin);
  advance();
  const PyToken variable = token_;
  if (variable.kind != PyToken::name || is_word(variable.text)) return unexpected("the name of a variable");
  advance();
  expect("in");
  if (locals_ == static_cast<std::int32_t>(kMaxLocals))
    return fail("more than " + std::to_string(kMaxLocals) + " comprehensions", begin);
  const std::int32_t local = locals_++;
  if (ok()) claim(variable.text, node(element).begin, element, local);
  const std::size_t over_begin = token_.begin;
  const std::int32_t over = any_of();
  if (ok() && !is_list(over)) return fail("the right side of 'in' is not a list", over_begin);
  std::vector<std::int32_t> operands = {element, over};
  while (accept("if")) {
    const std::size_t next = token_.begin;
    operands.push_back(scalar(any_of(), next));
    if (ok()) claim(variable.text, node(operands.back()).begin, operands.back(), local);
  }
  if (is("for")) return fail("only one 'for' is supported in a comprehension; there is a second one", token_.begin);
  expect(close);
  return make(Op::comprehension, begin, first, std::move(operands), local);
}

std::int32_t PyParser::name(const PyToken& token) {
  const bool truth = token.text == "True";
  if (!truth && token.text != "False" && is_word(token.text)) return unexpected("a number, a name, a list or '('");
  advance();
  if (truth || token.text == "False") return constant(PyValue::of(truth), token.begin);
  if (is("(")) return call(token);
  for (std::size_t p = 0; p < params_.size(); ++p)
    if (params_[p].name == token.text) return leaf(Op::param, token.begin, static_cast<std::int32_t>(p));
  names_.emplace_back(token.text);
  return leaf(Op::unknown, token.begin, static_cast<std::int32_t>(names_.size()) - 1);
}

std::int32_t PyParser::call(const PyToken& token) {
  const std::int32_t first = size();
  advance();
  std::vector<std::int32_t> operands;
  if (!is(")")) {
    do {
      operands.push_back(expression());
      if (operands.size() == 1 && is("for"))
        return fail("a loop outside of a list; write it between [ and ]", token_.begin);
    } while (accept(","));
  }
  expect(")");
  if (!ok()) return 0;
  const bool any_list = std::any_of(operands.begin(), operands.end(), [&](std::int32_t n) { return is_list(n); });
  if (token.text == "sorted") return fail("'sorted' is not supported; write the values in order", token.begin);
  if (token.text == "list" || token.text == "tuple" || token.text == "set") {
    if (operands.size() != 1 || !any_list)
      return fail(quote(token.text) + " accepts only one list or range", token.begin);
    return operands[0];
  }
  if (any_list && operands.size() > 1) return fail("beside a list, no other argument is allowed", token.begin);
  if (token.text == "range") {
    if (operands.empty() || operands.size() > 3 || any_list)
      return fail("range() takes one to three integers", token.begin);
    return make(Op::range, token.begin, first, std::move(operands));
  }
  const auto function =
      std::find_if(kFunctions.begin(), kFunctions.end(), [&](const auto& row) { return row.first == token.text; });
  if (function == kFunctions.end()) {
    std::vector<std::string> known = {"range", "list"};
    for (const auto& row : kFunctions) known.emplace_back(row.first);
    return fail("unknown function " + quote(token.text) + suggest_name(token.text, known), token.begin);
  }
  const bool many = function->second == PyFunction::min || function->second == PyFunction::max;
  if (operands.empty() || (operands.size() > 1 && !many))
    return fail(quote(token.text) + (many ? " takes at least one argument" : " takes one argument"), token.begin);
  return make(Op::call, token.begin, first, std::move(operands), static_cast<std::int32_t>(function->second));
}

} // namespace warptune
