// Recursive descent over real-valued formulas, one function per precedence, emitting postfix operations.
#include "core/real_expr.h"
#include "core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace warptune {
namespace {

constexpr int kMaxDepth = 200;               // nesting of parentheses, calls, ?: and unary minus
constexpr std::int64_t kMaxWeight = 100'000; // operations with derived names written out
constexpr std::size_t kMaxText = std::size_t{64} * 1024;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

} // namespace

class RealExprParser {
 public:
  RealExprParser(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {
    expr_.text_ = std::string(text);
    expr_.ops_.clear();
  }

  Result<RealExpr> parse() {
    ternary();
    if (peek() != '\0' || at_ < text_.size()) unexpected("the end or an operator");
    if (weight_ > kMaxWeight)
      error("with its derived names written out it has more than " + std::to_string(kMaxWeight) + " operations", 0);
    if (!error_.empty()) return fail(ErrorKind::bad_input, error_);
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

  // The first error stands; the text then seems to end, so that every function returns.
  void error(const std::string& what, std::size_t begin) {
    if (!error_.empty()) return;
    const bool asks = what.ends_with('?');
    error_ = what + (asks ? " (column " : " at column ") + std::to_string(begin + 1) + " of " + quote(text_) +
             (asks ? ")" : "");
    at_ = text_.size();
  }

  void unexpected(const std::string& expected) {
    const std::size_t at = skip_blanks();
    if (at == text_.size()) return error("the formula ends where " + expected + " is expected", at);
    error("unexpected " + quote(text_.substr(at, 1)) + " where " + expected + " is expected", at);
  }

  std::size_t skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_;
  }

  char peek() { return skip_blanks() < text_.size() ? text_[at_] : '\0'; }

  bool accept(std::string_view symbol) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  void expect(std::string_view symbol) {
    if (!accept(symbol)) unexpected(quote(symbol));
  }

  std::size_t emit(Code code, std::size_t begin, int stack_change, std::size_t target = 0, double value = 0) {
    expr_.ops_.push_back({code, static_cast<std::int32_t>(begin + 1), static_cast<std::int32_t>(target), value});
    stack_ += stack_change;
    weight_ = std::min(weight_ + 1, kMaxWeight + 1);
    if (stack_ > static_cast<int>(RealExpr::kMaxStack)) error("nested too deeply; use derived names", begin);
    return expr_.ops_.size() - 1;
  }

  void patch(std::size_t jump) { expr_.ops_[jump].target = static_cast<std::int32_t>(expr_.ops_.size()); }

  bool enter() {
    if (++depth_ <= kMaxDepth) return true;
    error("nested more than " + std::to_string(kMaxDepth) + " deep; use derived names", skip_blanks());
    return false;
  }

  // --- grammar, by rising precedence ----------------------------------------------------------------------------

  void ternary() {
    if (!enter()) return;
    comparison();
    const std::size_t begin = skip_blanks();
    if (accept("?")) {
      const std::size_t to_else = emit(Code::jump_if_zero, begin, -1);
      ternary();
      const std::size_t to_end = emit(Code::jump, begin, -1);
      if (!accept(":")) unexpected("':' of the '?'");
      patch(to_else);
      ternary();
      patch(to_end);
    }
    --depth_;
  }

  void comparison() {
    static constexpr std::array<std::pair<std::string_view, Code>, 6> kSymbols = {
        {{"==", Code::eq}, {"!=", Code::ne}, {"<=", Code::le}, {">=", Code::ge}, {"<", Code::lt}, {">", Code::gt}}};
    sum();
    for (int count = 0;; ++count) {
      const std::size_t begin = skip_blanks();
      const auto found =
          std::find_if(kSymbols.begin(), kSymbols.end(), [&](const auto& row) { return accept(row.first); });
      if (found == kSymbols.end()) return;
      if (count > 0) return error("a chain of comparisons; use parentheses", begin);
      sum();
      emit(found->second, begin, -1);
    }
  }

  void sum() {
    product();
    for (std::size_t begin = skip_blanks(); peek() == '+' || peek() == '-'; begin = skip_blanks()) {
      const Code code = accept("+") ? Code::add : (++at_, Code::sub);
      product();
      emit(code, begin, -1);
    }
  }

  void product() {
    unary();
    for (std::size_t begin = skip_blanks(); peek() == '*' || peek() == '/'; begin = skip_blanks()) {
      const Code code = accept("*") ? Code::mul : (++at_, Code::div);
      unary();
      emit(code, begin, -1);
    }
  }

  void unary() {
    const std::size_t begin = skip_blanks();
    if (!accept("-")) return primary();
    if (!enter()) return;
    unary();
    emit(Code::negate, begin, 0);
    --depth_;
  }

  void primary() {
    const std::size_t begin = skip_blanks();
    const char c = peek();
    if (is_digit(c) || c == '.') return number(begin);
    if (is_letter(c)) return name(begin);
    if (c == '\'' || c == '"') return string(begin);
    if (!accept("(")) return unexpected("a number, a name or '('");
    ternary();
    expect(")");
  }

  void number(std::size_t begin) {
    double value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, wrong] = std::from_chars(text_.data() + begin, end, value);
    std::size_t after = static_cast<std::size_t>(stop - text_.data());
    // A letter or a point that follows is part of a mistake (0x10, 1.2.3), told as one number.
    const bool runs_on = after < text_.size() && (is_letter(text_[after]) || text_[after] == '.');
    while (after < text_.size() && (is_letter(text_[after]) || is_digit(text_[after]) || text_[after] == '.')) ++after;
    const std::string digits = quote(text_.substr(begin, std::max<std::size_t>(after - begin, 1)));
    if (wrong == std::errc::result_out_of_range) return error(digits + " does not fit a double", begin);
    if (wrong != std::errc() || runs_on || !std::isfinite(value)) return error(digits + " is not a number", begin);
    at_ = after;
    emit(Code::constant, begin, 1, 0, value);
  }

  void string(std::size_t begin) {
    const std::size_t close = text_.find(text_[begin], begin + 1);
    if (close == std::string_view::npos) return error("a quoted text without its closing quote", begin);
    const std::string_view label = text_.substr(begin + 1, close - begin - 1);
    const std::int64_t* value = scope_.find_string(label);
    if (!value) return error("unknown text " + quote(label) + suggestion(label, scope_.strings()), begin);
    at_ = close + 1;
    emit(Code::constant, begin, 1, 0, static_cast<double>(*value));
  }

  static std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
    const std::string nearest = nearest_name(name, known);
    return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
  }

  void name(std::size_t begin) {
    std::size_t after = begin;
    while (after < text_.size() && (is_letter(text_[after]) || is_digit(text_[after]))) ++after;
    const std::string_view word = text_.substr(begin, after - begin);
    at_ = after;
    if (accept("(")) return call(word, begin); // a flag may be called `log`
    const Scope::Name* found = scope_.find(word);
    if (!found) {
      if (find_function(word)) return error("the function " + quote(word) + " without its '('", begin);
      return error("unknown name " + quote(word) + suggestion(word, scope_.names()), begin);
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
    weight_ = std::min(weight_ + derived.operations(), kMaxWeight + 1);
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
      std::vector<std::string> names;
      names.reserve(kFunctions.size());
      for (const Named& known : kFunctions) names.emplace_back(known.name);
      return error("unknown function " + quote(word) + suggestion(word, names), begin);
    }
    int count = 0;
    if (peek() != ')') {
      do {
        ternary();
        if (count++ > 0) emit(function->code, begin, -1);
      } while (count <= function->most && accept(","));
    }
    if (!error_.empty()) return;
    if (count < function->least || count > function->most)
      return error(quote(word) + " takes " + std::to_string(function->least) +
                       (function->most == kMany ? " or more arguments"
                        : function->least == 1  ? " argument"
                                                : " arguments"),
                   begin);
    if (function->most == 1) emit(function->code, begin, 0);
    expect(")");
  }

  std::string_view text_;
  const Scope& scope_;
  RealExpr expr_;
  std::string error_;
  std::size_t at_ = 0;
  std::int64_t weight_ = 0;
  int depth_ = 0, stack_ = 0;
};

Result<RealExpr> RealExpr::parse(std::string_view text, const Scope& scope) {
  if (text.size() > kMaxText)
    return fail(ErrorKind::bad_input, "the formula " + quote(text) + " is longer than 64 KiB; use derived names");
  return RealExprParser(text, scope).parse();
}

} // namespace warptune
