// Recursive descent over the grammar of docs/spec.md, one function per precedence, emitting postfix operations.
#include "core/expr.h"
#include "core/formula_tokens.h"
#include "core/text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace warptune {
namespace {

constexpr int kMaxHeight = 200; // derived names that use derived names

struct Function {
  std::string_view name;
  int code; // Expr::Code
  int least, most;
};

} // namespace

class ExprParser : private FormulaTokens {
 public:
  ExprParser(std::string_view text, const Scope& scope) : FormulaTokens(text, scope, Numbers::integer) {
    expr_.text_ = std::string(text);
    expr_.ops_.clear();
    expr_.weight_ = 0;
    expr_.height_ = 0;
  }

  Result<Expr> parse() {
    ternary();
    if (!failed() && token_.kind != Token::end) unexpected("the end or an operator");
    if (!failed() && expr_.weight_ > kMaxFormulaWeight)
      error("the formula has more than " + std::to_string(kMaxFormulaWeight) +
                " operations when its derived names are expanded; use fewer or simpler derived names",
            0);
    if (failed()) return fail(ErrorKind::bad_input, error_text());
    ++expr_.height_;
    std::vector<int>& slots = expr_.slots_;
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return std::move(expr_);
  }

  using Code = Expr::Code;
  static const Function* find_function(std::string_view name) {
    constexpr int kMany = std::numeric_limits<int>::max();
    const auto code = [](Code c) { return static_cast<int>(c); };
    static const std::array<Function, 8> functions = {{
        {"min", code(Code::min), 1, kMany},
        {"max", code(Code::max), 1, kMany},
        {"ceil_div", code(Code::ceil_div), 2, 2},
        {"round_up", code(Code::round_up), 2, 2},
        {"is_pow2", code(Code::is_pow2), 1, 1},
        {"log2", code(Code::log2), 1, 1},
        {"abs", code(Code::abs), 1, 1},
        {"bytes", code(Code::bytes), 1, 1},
    }};
    for (const Function& f : functions)
      if (f.name == name) return &f;
    return nullptr;
  }

 private:
  // --- emitting -------------------------------------------------------------------------------------------------

  std::size_t size() const { return expr_.ops_.size(); }

  void emit(Code code, std::size_t begin, std::int64_t value, int stack_change) {
    expr_.ops_.push_back({code, static_cast<std::int32_t>(begin + 1), value});
    stack_ += stack_change;
    expr_.weight_ = std::min(expr_.weight_ + 1, kMaxFormulaWeight + 1);
    if (stack_ > static_cast<int>(Expr::kMaxStack)) error("nested too deeply; use derived names", begin);
  }

  void patch(std::size_t jump) { expr_.ops_[jump].value = static_cast<std::int64_t>(size()); }

  bool is_constant(std::size_t begin, std::size_t end) const {
    return end - begin == 1 && expr_.ops_[begin].code == Code::constant;
  }

  // Operands begin at `first` and, if there are two, at `second`. Folds constants.
  void operation(Code code, std::size_t begin, std::size_t first, std::size_t second) {
    if (failed()) return;
    const bool two = code >= Code::add;
    std::vector<Expr::Op>& ops = expr_.ops_;
    const bool constant_right = is_constant(two ? second : first, ops.size());
    if (constant_right && (!two || is_constant(first, second))) {
      std::int64_t result = 0;
      const char* wrong = Expr::apply(code, ops[first].value, ops.back().value, result);
      if (!wrong) {
        ops.resize(first);
        stack_ -= two ? 2 : 1;
        return emit(Code::constant, begin, result, 1);
      }
      if (guards_ == 0) return error(wrong, begin);
    }
    const bool divides = code == Code::div || code == Code::mod || code == Code::ceil_div || code == Code::round_up;
    if (divides && constant_right && ops.back().value == 0 && guards_ == 0) return error("division by zero", begin);
    emit(code, begin, 0, two ? -1 : 0);
  }

  // --- grammar, by rising precedence ----------------------------------------------------------------------------

  void ternary() {
    const std::size_t begin = token_.begin;
    if (!enter(begin)) return;
    logical_or();
    if (accept("?")) {
      ++guards_;
      const std::size_t to_else = size();
      emit(Code::jump_if_zero, begin, 0, -1);
      ternary();
      const std::size_t to_end = size();
      emit(Code::jump, begin, 0, -1);
      if (!is(":")) unexpected("the ':' of the '?'");
      accept(":");
      if (!failed()) patch(to_else);
      ternary();
      if (!failed()) patch(to_end);
      --guards_;
    }
    leave();
  }

  void logical(Code jump, std::string_view symbol, std::string_view word, void (ExprParser::*operand)()) {
    (this->*operand)();
    while (is(symbol) || is(word)) {
      const std::size_t begin = token_.begin;
      advance();
      ++guards_;
      const std::size_t to_end = size();
      emit(jump, begin, 0, -1);
      (this->*operand)();
      emit(Code::boolean, begin, 0, 0);
      if (!failed()) patch(to_end);
      --guards_;
    }
  }

  void logical_or() { logical(Code::or_jump, "||", "or", &ExprParser::logical_and); }
  void logical_and() { logical(Code::and_jump, "&&", "and", &ExprParser::equality); }

  struct Binary {
    std::string_view symbol;
    Code code;
  };

  template <std::size_t N> const Binary* find_binary(const std::array<Binary, N>& table) const {
    if (token_.kind == Token::symbol)
      for (const Binary& row : table)
        if (row.symbol == token_.text) return &row;
    return nullptr;
  }

  template <std::size_t N> void binary(const std::array<Binary, N>& table, void (ExprParser::*operand)(), bool chains) {
    const std::size_t first = size();
    (this->*operand)();
    for (int count = 0;; ++count) {
      const Binary* row = find_binary(table);
      if (!row) return;
      const std::size_t begin = token_.begin;
      if (count > 0 && !chains)
        return error("a chain of comparisons; join two comparisons with && or use parentheses", begin);
      advance();
      const std::size_t second = size();
      (this->*operand)();
      operation(row->code, begin, first, second);
    }
  }

  void equality() {
    static constexpr std::array<Binary, 2> kTable = {{{"==", Code::eq}, {"!=", Code::ne}}};
    binary(kTable, &ExprParser::comparison, false);
  }
  void comparison() {
    static constexpr std::array<Binary, 4> kTable = {
        {{"<", Code::lt}, {"<=", Code::le}, {">", Code::gt}, {">=", Code::ge}}};
    binary(kTable, &ExprParser::sum, false);
  }
  void sum() {
    static constexpr std::array<Binary, 2> kTable = {{{"+", Code::add}, {"-", Code::sub}}};
    binary(kTable, &ExprParser::product, true);
  }
  void product() {
    static constexpr std::array<Binary, 3> kTable = {{{"*", Code::mul}, {"/", Code::div}, {"%", Code::mod}}};
    binary(kTable, &ExprParser::unary, true);
  }

  void unary() {
    const std::size_t begin = token_.begin;
    const bool minus = is("-");
    if (!minus && !is("!") && !is("not")) return primary();
    if (!enter(begin)) return;
    advance();
    const std::size_t first = size();
    if (minus && token_.kind == Token::number) {
      number(begin); // including the sign, so that the smallest integer can be written
    } else {
      unary();
      operation(minus ? Code::negate : Code::logical_not, begin, first, first);
    }
    leave();
  }

  void number(std::size_t begin) {
    std::int64_t value = 0;
    const std::string digits(text_.substr(begin, 1) == "-" ? "-" + std::string(token_.text) : std::string(token_.text));
    const IntegerError wrong = parse_integer(digits, value);
    if (wrong == IntegerError::overflow) return error(quote(digits) + " does not fit 64 bits", begin);
    if (wrong != IntegerError::none)
      return error(quote(digits) + " is not an integer; formulas accept only decimal integers", begin);
    advance();
    emit(Code::constant, begin, value, 1);
  }

  void primary() {
    const Lexeme token = token_;
    switch (token.kind) {
    case Token::number:
      return number(token.begin);
    case Token::string: {
      const std::int64_t* value = scope_.find_string(token.text);
      if (!value)
        return error("unknown text " + quote(token.text) + suggestion(token.text, scope_.strings()), token.begin);
      advance();
      return emit(Code::constant, token.begin, *value, 1);
    }
    case Token::name:
      if (token.text == "and" || token.text == "or") break;
      advance();
      return accept("(") ? call(token) : name(token);
    default:
      if (!is("(")) break;
      advance();
      ternary();
      return expect(")");
    }
    if (is("/") && token.begin > 0 && text_[token.begin - 1] == '/')
      return error("formulas have no '//'; '/' already divides integers and truncates", token.begin - 1);
    unexpected("a number, a name or '('");
  }

  void name(const Lexeme& token) {
    const Scope::Name* found = scope_.find(token.text);
    if (!found) {
      if (find_function(token.text))
        return error("the function " + quote(token.text) + " must be followed by '('", token.begin);
      return error("unknown name " + quote(token.text) + name_suggestion(token.text), token.begin);
    }
    switch (found->kind) {
    case Scope::Name::Kind::constant:
      return emit(Code::constant, token.begin, found->value, 1);
    case Scope::Name::Kind::slot:
      expr_.slots_.push_back(static_cast<int>(found->value));
      return emit(Code::slot, token.begin, found->value, 1);
    case Scope::Name::Kind::derived:
      break;
    }
    const Expr& derived = *found->expr;
    if (derived.is_constant()) {
      std::int64_t value = 0;
      Expr::Fault fault;
      if (derived.run(nullptr, value, fault)) return emit(Code::constant, token.begin, value, 1);
    }
    if (derived.height_ >= kMaxHeight)
      return error("derived names nested more than " + std::to_string(kMaxHeight) + " deep", token.begin);
    expr_.height_ = std::max(expr_.height_, derived.height_);
    expr_.weight_ = std::min(expr_.weight_ + derived.weight_, kMaxFormulaWeight + 1);
    expr_.slots_.insert(expr_.slots_.end(), derived.slots_.begin(), derived.slots_.end());
    expr_.derived_.push_back(found->expr);
    emit(Code::derived, token.begin, static_cast<std::int64_t>(expr_.derived_.size()) - 1, 1);
  }

  void call(const Lexeme& token) {
    const Function* function = find_function(token.text);
    if (!function) {
      for (const std::string_view real : {"sqrt", "exp", "log", "pow"})
        if (token.text == real)
          return error("unknown function " + quote(token.text) +
                           " in a formula of integers (real formulas are for floating-point scalars and tolerances)",
                       token.begin);
      const std::vector<std::string> names = {"min", "max", "ceil_div", "round_up", "is_pow2", "log2", "abs", "bytes"};
      return error("unknown function " + quote(token.text) + suggestion(token.text, names), token.begin);
    }
    const auto code = static_cast<Code>(function->code);
    int count = 0;
    const std::size_t first = size();
    if (!is(")")) {
      do {
        const std::size_t second = size();
        ternary();
        if (count++ > 0) operation(code, token.begin, first, second);
        if (count > function->most) break;
      } while (accept(","));
    }
    if (failed()) return;
    check_count(token.text, count, function->least, function->most, token.begin);
    if (function->most == 1) operation(code, token.begin, first, first);
    expect(")");
  }

  Expr expr_;
  int guards_ = 0, stack_ = 0;
};

Result<Expr> Expr::parse(std::string_view text, const Scope& scope) {
  WT_CHECK(check_formula_size(text));
  return ExprParser(text, scope).parse();
}

bool is_expression_keyword(std::string_view word) {
  return word == "and" || word == "or" || word == "not" || ExprParser::find_function(word) != nullptr;
}

std::vector<std::string> expression_names(std::string_view text) {
  std::vector<std::string> names;
  std::size_t at = 0;
  const auto next = [&] { return next_lexeme(text, at, Numbers::integer); };
  for (Lexeme token = next(); token.kind != Token::end; token = next())
    if (token.kind == Token::name && !is_expression_keyword(token.text)) names.emplace_back(token.text);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

} // namespace warptune
