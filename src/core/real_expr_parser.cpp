// Recursive descent over real-valued formulas, one function per precedence, emitting postfix operations.
#include "core/formula_tokens.h"
#include "core/real_expr.h"
#include "core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace warptune {
class RealExprParser : private FormulaTokens {
 public:
  RealExprParser(std::string_view text, const Scope& scope) : FormulaTokens(text, scope, Numbers::real) {
    expr_.text_ = std::string(text);
    expr_.ops_.clear();
  }

  Result<RealExpr> parse() {
    ternary();
    if (!failed() && token_.kind != Token::end) unexpected("the end or an operator");
    if (weight_ > kMaxFormulaWeight)
      error("the formula has more than " + std::to_string(kMaxFormulaWeight) +
                " operations when its derived names are expanded; use fewer or simpler derived names",
            0);
    if (failed()) return fail(ErrorKind::bad_input, error_text());
    std::vector<int>& slots = expr_.slots_;
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    if (!slots.empty()) return std::move(expr_);
    WT_TRY(const double value, expr_.evaluate({}));
    expr_.ops_ = {{Code::constant, 1, 0, value}};
    expr_.derived_.clear();
    return std::move(expr_);
  }

 private:
  using Code = RealExpr::Code;
  struct Named {
    std::string_view name;
    Code code;
    int least, most; // arguments
  };
  static constexpr int kMany = std::numeric_limits<int>::max();
  static constexpr std::array<Named, 8> kFunctions = {{{"sqrt", Code::sqrt, 1, 1},
                                                       {"exp", Code::exp, 1, 1},
                                                       {"log", Code::log, 1, 1},
                                                       {"log2", Code::log2, 1, 1},
                                                       {"abs", Code::abs, 1, 1},
                                                       {"pow", Code::pow, 2, 2},
                                                       {"min", Code::min, 1, kMany},
                                                       {"max", Code::max, 1, kMany}}};

  std::size_t emit(Code code, std::size_t begin, int stack_change, std::size_t target = 0, double value = 0) {
    expr_.ops_.push_back({code, static_cast<std::int32_t>(begin + 1), static_cast<std::int32_t>(target), value});
    stack_ += stack_change;
    weight_ = std::min(weight_ + 1, kMaxFormulaWeight + 1);
    if (stack_ > static_cast<int>(RealExpr::kMaxStack)) error("nested too deeply; use derived names", begin);
    return expr_.ops_.size() - 1;
  }

  void patch(std::size_t jump) { expr_.ops_[jump].target = static_cast<std::int32_t>(expr_.ops_.size()); }

  // --- grammar, by rising precedence ----------------------------------------------------------------------------

  void ternary() {
    if (!enter(token_.begin)) return;
    comparison();
    const std::size_t begin = token_.begin;
    if (accept("?")) {
      const std::size_t to_else = emit(Code::jump_if_zero, begin, -1);
      ternary();
      const std::size_t to_end = emit(Code::jump, begin, -1);
      if (!accept(":")) unexpected("the ':' of the '?'");
      patch(to_else);
      ternary();
      patch(to_end);
    }
    leave();
  }

  struct Binary {
    std::string_view symbol;
    Code code;
  };

  template <std::size_t N>
  void binary(const std::array<Binary, N>& table, void (RealExprParser::*operand)(), bool chains) {
    (this->*operand)();
    for (int count = 0;; ++count) {
      const std::size_t begin = token_.begin;
      const auto row = std::find_if(table.begin(), table.end(), [&](const Binary& b) { return accept(b.symbol); });
      if (row == table.end()) return;
      if (count > 0 && !chains) return error("comparisons cannot be chained; use one comparison", begin);
      (this->*operand)();
      emit(row->code, begin, -1);
    }
  }

  void comparison() {
    static constexpr std::array<Binary, 6> kTable = {
        {{"==", Code::eq}, {"!=", Code::ne}, {"<=", Code::le}, {">=", Code::ge}, {"<", Code::lt}, {">", Code::gt}}};
    binary(kTable, &RealExprParser::sum, false);
  }
  void sum() {
    static constexpr std::array<Binary, 2> kTable = {{{"+", Code::add}, {"-", Code::sub}}};
    binary(kTable, &RealExprParser::product, true);
  }
  void product() {
    static constexpr std::array<Binary, 2> kTable = {{{"*", Code::mul}, {"/", Code::div}}};
    binary(kTable, &RealExprParser::unary, true);
  }

  void unary() {
    const std::size_t begin = token_.begin;
    if (!accept("-")) return primary();
    if (!enter(begin)) return;
    unary();
    emit(Code::negate, begin, 0);
    leave();
  }

  void primary() {
    const Lexeme token = token_;
    if (token.kind == Token::number) return number(token);
    if (token.kind == Token::name) return name(token);
    if (token.kind == Token::string) return string(token);
    if (!accept("(")) return unexpected("a number, a name or '('");
    ternary();
    expect(")");
  }

  void number(const Lexeme& token) {
    double value = 0;
    const char* const end = token.text.data() + token.text.size();
    const auto [stop, wrong] = std::from_chars(token.text.data(), end, value);
    if (wrong == std::errc::result_out_of_range)
      return error(quote(token.text) + " does not fit a double", token.begin);
    if (wrong != std::errc() || stop != end || !std::isfinite(value))
      return error(quote(token.text) + " is not a number", token.begin);
    advance();
    emit(Code::constant, token.begin, 1, 0, value);
  }

  void string(const Lexeme& token) {
    const std::int64_t* value = scope_.find_string(token.text);
    if (!value)
      return error("unknown text " + quote(token.text) + suggestion(token.text, scope_.strings()), token.begin);
    advance();
    emit(Code::constant, token.begin, 1, 0, static_cast<double>(*value));
  }

  void name(const Lexeme& token) {
    const std::string_view word = token.text;
    const std::size_t begin = token.begin;
    advance();
    if (accept("(")) return call(word, begin); // a flag may be named `log`
    const Scope::Name* found = scope_.find(word);
    if (!found) {
      if (find_function(word)) return error("the function " + quote(word) + " must be followed by '('", begin);
      return error("unknown name " + quote(word) + name_suggestion(word), begin);
    }
    switch (found->kind) {
    case Scope::Name::Kind::constant:
      emit(Code::constant, begin, 1, 0, static_cast<double>(found->value));
      return;
    case Scope::Name::Kind::slot:
      expr_.slots_.push_back(static_cast<int>(found->value));
      emit(Code::slot, begin, 1, static_cast<std::size_t>(found->value));
      return;
    case Scope::Name::Kind::derived:
      break;
    }
    const Expr& derived = *found->expr;
    weight_ = std::min(weight_ + derived.operations(), kMaxFormulaWeight + 1);
    expr_.slots_.insert(expr_.slots_.end(), derived.slots().begin(), derived.slots().end());
    expr_.derived_.push_back(found->expr);
    emit(Code::derived, begin, 1, expr_.derived_.size() - 1);
  }

  static const Named* find_function(std::string_view word) {
    const auto found =
        std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Named& f) { return f.name == word; });
    return found == kFunctions.end() ? nullptr : &*found;
  }

  void call(std::string_view word, std::size_t begin) {
    const Named* function = find_function(word);
    if (!function) {
      return error("unknown function " + quote(word) + suggestion(word, names_of(kFunctions)), begin);
    }
    int count = 0;
    if (!is(")")) {
      do {
        ternary();
        if (count++ > 0) emit(function->code, begin, -1);
      } while (count <= function->most && accept(","));
    }
    if (failed()) return;
    check_count(word, count, function->least, function->most, begin);
    if (function->most == 1) emit(function->code, begin, 0);
    expect(")");
  }

  RealExpr expr_;
  std::int64_t weight_ = 0;
  int stack_ = 0;
};

Result<RealExpr> RealExpr::parse(std::string_view text, const Scope& scope) {
  WT_CHECK(check_formula_size(text));
  return RealExprParser(text, scope).parse();
}

} // namespace warptune
