// Recursive descent over Python's grammar of expressions, as far as tuning files use it; one function per precedence.
#include "core/text.h"
#include "interchange/python_lexer.h"
#include "interchange/python_program.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace warptune {
namespace {

constexpr std::size_t kMaxText = std::size_t{64} * 1024;
constexpr int kMaxDepth = 100;           // of parentheses, brackets, calls and signs
constexpr std::int32_t kMaxHeight = 400; // of the tree: operators in a row count
constexpr std::size_t kMaxFolded = 4096; // values of lists kept as constants

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

class Parser {
 public:
  using Op = PyNode::Op;
  using Program = PythonExpr::Program;

  Parser(std::string_view text, std::shared_ptr<PyNames> names, Program& program)
      : text_(text), params_(names->params), texts_(names->texts), p_(program) {
    p_.text = std::string(text);
    p_.names = std::move(names);
    advance();
  }

  std::int32_t parse() {
    const std::int32_t root = expression();
    if (ok() && token_.kind != PyToken::end) unexpected("the end or an operator");
    for (const PyNode& node : p_.nodes)
      if (ok() && node.op == Op::unknown) unknown_name(node);
    return root;
  }

  const std::string& error() const { return error_; }

 private:
  // --- errors: the first one stands, and parsing runs dry at an empty token ------------------------------------------

  bool ok() const { return error_.empty(); }

  std::int32_t fail(const std::string& what, std::size_t begin) {
    if (ok()) error_ = what + " at column " + std::to_string(begin + 1) + " of " + quote(text_);
    token_ = {};
    token_.begin = text_.size();
    at_ = text_.size();
    return 0;
  }

  std::int32_t unexpected(const std::string& expected) {
    if (token_.kind == PyToken::end) return fail("it ends where " + expected + " is expected", token_.begin);
    if (token_.kind == PyToken::wrong) return fail(token_.content, token_.begin);
    return fail("unexpected " + quote(token_.text) + " where " + expected + " is expected", token_.begin);
  }

  void unknown_name(const PyNode& node) {
    std::vector<std::string> known;
    for (const PyParam& param : params_) known.push_back(param.name);
    const std::string& name = names_[static_cast<std::size_t>(node.index)];
    fail("unknown name " + quote(name) + suggest_name(name, known), static_cast<std::size_t>(node.column) - 1);
  }

  // --- tokens
  // ---------------------------------------------------------------------------------------------------------

  void advance() { token_ = next_py_token(text_, at_); }
  bool is(std::string_view symbol) const {
    return (token_.kind == PyToken::symbol || token_.kind == PyToken::name) && token_.text == symbol;
  }
  bool accept(std::string_view symbol) {
    if (!is(symbol)) return false;
    advance();
    return true;
  }
  void expect(std::string_view symbol) {
    if (!accept(symbol)) unexpected(quote(symbol));
  }

  // --- nodes
  // ----------------------------------------------------------------------------------------------------------

  PyNode& node(std::int32_t n) { return p_.nodes[static_cast<std::size_t>(n)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(p_.nodes.size()); }
  bool is_list(std::int32_t n) { return ok() && node(n).is_list; }

  // `operands` may hold comparisons between the nodes: for compare every second one.
  std::int32_t make(Op op, std::size_t begin, std::int32_t first_node, std::vector<std::int32_t> operands,
                    std::int32_t index = 0) {
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

  bool all_fixed(Op op, const std::vector<std::int32_t>& operands) {
    for (std::size_t i = 0; i < operands.size(); ++i)
      if ((op != Op::compare || i % 2 == 0) && !node(operands[i]).fixed) return false;
    return true;
  }

  // Whether the nodes from `begin` read nothing but the variables of comprehensions among them.
  bool is_closed(std::int32_t begin) const {
    return std::all_of(p_.nodes.begin() + begin, p_.nodes.end(),
                       [](const PyNode& n) { return n.op != Op::param && n.op != Op::unknown; });
  }

  // The last node as a constant, where it can be evaluated.
  std::int32_t fold(const PyNode& top) {
    PyEvaluation evaluation(p_, nullptr, kMaxSteps);
    const std::int32_t root = size() - 1;
    PyValue value;
    std::vector<PyValue> values;
    if (fold_steps_ > kMaxSteps) return root;
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

  std::int32_t leaf(Op op, std::size_t begin, std::int32_t index) {
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

  std::int32_t constant(const PyValue& value, std::size_t begin) {
    const std::int32_t made = leaf(Op::constant, begin, 0);
    node(made).value = value;
    return made;
  }

  // --- grammar, by rising precedence
  // ------------------------------------------------------------------------------------

  std::int32_t expression() {
    if (++depth_ > kMaxDepth) return fail("nested more than " + std::to_string(kMaxDepth) + " deep", token_.begin);
    const std::int32_t first = size();
    const std::size_t begin = token_.begin;
    std::int32_t made = any_of();
    if (accept("if")) {
      const std::int32_t condition = scalar(any_of(), begin);
      if (!is("else")) return unexpected("the 'else' of the 'if'");
      advance();
      const std::int32_t otherwise = expression();
      if (ok() && is_list(made) != is_list(otherwise))
        return fail("a list or a value, depending on a condition,", begin);
      made = make(Op::choose, begin, first, {condition, made, otherwise});
    }
    --depth_;
    return made;
  }

  std::int32_t scalar(std::int32_t n, std::size_t begin) {
    return is_list(n) ? fail("a list where a value is expected", begin) : n;
  }

  std::int32_t logical(Op op, std::string_view word, std::int32_t (Parser::*operand)()) {
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

  std::int32_t any_of() { return logical(Op::any_of, "or", &Parser::all_of); }
  std::int32_t all_of() { return logical(Op::all_of, "and", &Parser::logical_not); }

  std::int32_t logical_not() {
    const std::int32_t first = size();
    const std::size_t begin = token_.begin;
    if (!is("not")) return comparison();
    if (++depth_ > kMaxDepth) return fail("nested more than " + std::to_string(kMaxDepth) + " deep", begin);
    advance();
    const std::int32_t operand = scalar(logical_not(), begin);
    --depth_;
    return make(Op::logical_not, begin, first, {operand});
  }

  // The comparison that begins here, or -1.
  std::int32_t comparison_sign() {
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

  std::int32_t comparison() {
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

  std::int32_t binary(std::initializer_list<std::pair<std::string_view, PyOperator>> table,
                      std::int32_t (Parser::*operand)()) {
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

  std::int32_t sum() { return binary({{"+", PyOperator::add}, {"-", PyOperator::sub}}, &Parser::product); }
  std::int32_t product() {
    return binary(
        {{"*", PyOperator::mul}, {"/", PyOperator::div}, {"//", PyOperator::floor_div}, {"%", PyOperator::mod}},
        &Parser::sign);
  }

  std::int32_t sign() {
    const std::int32_t first = size();
    const std::size_t begin = token_.begin;
    const bool minus = is("-");
    if (!minus && !is("+")) return power();
    if (++depth_ > kMaxDepth) return fail("nested more than " + std::to_string(kMaxDepth) + " deep", begin);
    advance();
    const std::int32_t operand = scalar(sign(), begin);
    --depth_;
    return make(minus ? Op::negate : Op::plus, begin, first, {operand});
  }

  std::int32_t power() {
    const std::int32_t first = size();
    const std::int32_t base = primary();
    const std::size_t begin = token_.begin;
    if (!accept("**")) return base;
    if (++depth_ > kMaxDepth) return fail("nested more than " + std::to_string(kMaxDepth) + " deep", begin);
    const std::int32_t exponent = sign(); // binds tighter on its left than on its right: 2**-1, -2**2 == -4
    --depth_;
    return make(Op::arithmetic, begin, first, {scalar(base, begin), scalar(exponent, begin)},
                static_cast<std::int32_t>(PyOperator::pow));
  }

  std::int32_t primary() {
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

  std::int32_t parentheses() {
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

  std::int32_t list(std::string_view close) {
    const std::int32_t first = size();
    const std::size_t begin = token_.begin;
    advance();
    if (accept(close)) return make(Op::list, begin, first, {});
    const std::int32_t inner = expression();
    if (is("for")) return comprehension(begin, first, inner, close);
    return items(begin, first, inner, close);
  }

  // The rest of a list or a tuple.
  std::int32_t items(std::size_t begin, std::int32_t first, std::int32_t inner, std::string_view close) {
    std::vector<std::int32_t> operands = {scalar(inner, begin)};
    while (accept(",") && !is(close)) {
      const std::size_t next = token_.begin;
      operands.push_back(scalar(expression(), next));
    }
    expect(close);
    return make(Op::list, begin, first, std::move(operands));
  }

  std::int32_t comprehension(std::size_t begin, std::int32_t first, std::int32_t element, std::string_view close) {
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
    if (ok() && !is_list(over)) return fail("'in' something that is no list", over_begin);
    std::vector<std::int32_t> operands = {element, over};
    while (accept("if")) {
      const std::size_t next = token_.begin;
      operands.push_back(scalar(any_of(), next));
      if (ok()) claim(variable.text, node(operands.back()).begin, operands.back(), local);
    }
    if (is("for")) return fail("two loops in one list; write them as two lists", token_.begin);
    expect(close);
    return make(Op::comprehension, begin, first, std::move(operands), local);
  }

  // The names between two nodes that mean the variable of a comprehension.
  void claim(std::string_view name, std::int32_t from, std::int32_t to, std::int32_t local) {
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

  static bool is_word(std::string_view name) {
    static constexpr std::array<std::string_view, 11> kWords = {"and", "or",   "not",   "in",   "if",    "else",
                                                                "for", "True", "False", "None", "lambda"};
    return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
  }

  std::int32_t name(const PyToken& token) {
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

  std::int32_t call(const PyToken& token) {
    const std::int32_t first = size();
    advance();
    std::vector<std::int32_t> operands;
    if (!is(")")) {
      do {
        operands.push_back(expression());
        if (operands.size() == 1 && is("for"))
          return fail("a loop that is no list; write it between [ and ]", token_.begin);
      } while (accept(","));
    }
    expect(")");
    if (!ok()) return 0;
    const bool any_list = std::any_of(operands.begin(), operands.end(), [&](std::int32_t n) { return is_list(n); });
    if (token.text == "list" || token.text == "tuple" || token.text == "set" || token.text == "sorted") {
      if (operands.size() != 1 || !any_list || token.text == "sorted")
        return fail(quote(token.text) + " is known for one list or range only", token.begin);
      return operands[0];
    }
    if (any_list && operands.size() > 1) return fail("a list among other arguments", token.begin);
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

  std::string_view text_;
  const std::vector<PyParam>& params_;
  std::set<std::string, std::less<>>& texts_;
  Program& p_;
  std::vector<std::string> names_; // of unknown nodes
  std::string error_;
  PyToken token_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::int32_t locals_ = 0;
  std::int64_t fold_steps_ = 0;
  std::size_t listed_ = 0;
};

} // namespace

Result<PythonExpr> PythonExpr::parse(std::string_view text, std::shared_ptr<PyNames> names) {
  if (text.size() > kMaxText)
    return fail(ErrorKind::bad_input, "the formula " + quote(text) + " is longer than 64 KiB; make it shorter");
  auto program = std::make_shared<Program>();
  Parser parser(text, std::move(names), *program);
  const std::int32_t root = parser.parse();
  if (!parser.error().empty()) return fail(ErrorKind::bad_input, parser.error());
  return PythonExpr(std::move(program), root);
}

} // namespace warptune
