#include "starter/restriction.h"

#include "core/expr.h"
#include "core/formula_tokens.h"
#include "core/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr int kMaxDepth = 100; // nesting of parentheses, calls and unary operators

// What is known about a part of the restriction.
struct Operand {
  bool is_negative = false;     // may be below 0
  bool is_truth = false;        // 0 or 1
  bool is_chosen = false;       // Python yields one of the operands of `and` and `or`, a formula yields 0 or 1
  bool needs_no_parens = false; // as the operand of `not` in a formula
};

// Recursive descent over the part of Python's grammar that formulas share, one function per precedence of Python.
class RestrictionReader {
 public:
  RestrictionReader(std::string_view text, const Entries& params) : text_(text), params_(params) { advance(); }

  Result<std::string> read() {
    if (text_.find("**") != std::string_view::npos) refuse("formulas have no **");
    if (text_.find('/') != std::string_view::npos) refuse("in formulas, / of whole numbers truncates");
    if (text_.find('[') != std::string_view::npos) refuse("formulas have no lists or subscripts");
    either();
    if (token_.kind != Token::end) refuse_token();
    if (!why_.empty()) return fail(ErrorKind::bad_input, why_);
    Scope scope;
    for (const auto& [name, values] : params_)
      if (!scope.contains(name)) scope.add_slot(name);
    WT_CHECK(Expr::parse(formula(), scope)); // finds constants that overflow, and texts that are too long
    return formula();
  }

 private:
  void advance() { token_ = next_lexeme(text_, at_, Numbers::integer); }
  bool is(std::string_view text) const {
    return (token_.kind == Token::symbol || token_.kind == Token::name) && token_.text == text;
  }
  template <std::size_t N> bool is_any(const std::array<std::string_view, N>& texts) const {
    return std::any_of(texts.begin(), texts.end(), [&](std::string_view text) { return is(text); });
  }
  bool accept(std::string_view text) {
    if (!is(text)) return false;
    advance();
    return true;
  }
  // Keeps the first reason, and treats the rest of the text as empty.
  void refuse(const std::string& why) {
    if (why_.empty()) why_ = why;
    at_ = text_.size();
    token_ = {Token::end, {}, at_};
  }
  void refuse_token() {
    if (token_.kind == Token::end) return refuse("it is incomplete");
    refuse(fmt::format("a formula cannot have {} at column {}", quote(token_.text), token_.begin + 1));
  }

  std::string formula() const {
    std::string out;
    for (std::size_t at = 0; at <= text_.size(); ++at) {
      for (const auto& [place, paren] : parens_)
        if (place == at) out += paren;
      if (at < text_.size()) out += text_[at];
    }
    return out;
  }

  Operand joined(std::string_view word, Operand (RestrictionReader::*operand)()) {
    Operand all = (this->*operand)();
    while (accept(word)) {
      const Operand next = (this->*operand)();
      const bool is_truth = all.is_truth && next.is_truth;
      all = {.is_negative = all.is_negative || next.is_negative, .is_truth = is_truth, .is_chosen = !is_truth};
    }
    return all;
  }
  Operand either() { return joined("or", &RestrictionReader::both); }
  Operand both() { return joined("and", &RestrictionReader::negation); }

  // In Python, `not` applies to the whole comparison that follows it; in formulas, only to the next operand.
  Operand negation() {
    if (!is("not")) return comparison();
    advance();
    const std::size_t begin = token_.begin;
    Operand operand;
    if (++depth_ > kMaxDepth)
      refuse("it is nested too deeply");
    else
      operand = negation();
    --depth_;
    if (!operand.needs_no_parens) {
      parens_.emplace_back(begin, '(');
      parens_.emplace_back(end_, ')');
    }
    return {.is_truth = true, .needs_no_parens = true};
  }

  Operand comparison() {
    static constexpr std::array<std::string_view, 6> kSymbols = {"==", "!=", "<", "<=", ">", ">="};
    const Operand first = sum();
    if (!is_any(kSymbols)) return first;
    advance();
    const Operand second = sum();
    use_as_number(first);
    use_as_number(second);
    if (is_any(kSymbols)) refuse("a < b < c must be written as a < b && b < c");
    return {.is_truth = true};
  }

  Operand sum() {
    Operand all = product();
    while (is("+") || is("-")) {
      const bool is_difference = is("-");
      advance();
      const Operand next = product();
      use_as_number(all);
      use_as_number(next);
      all = {.is_negative = is_difference || all.is_negative || next.is_negative};
    }
    return all;
  }

  Operand product() {
    Operand all = unary();
    while (is("*") || is("%")) {
      const bool is_remainder = is("%");
      advance();
      const Operand next = unary();
      use_as_number(all);
      use_as_number(next);
      all = {.is_negative = all.is_negative || next.is_negative};
      if (is_remainder && all.is_negative) refuse("in formulas, % of negative numbers has another result");
    }
    return all;
  }

  Operand unary() {
    if (!is("-")) return primary();
    advance();
    if (++depth_ > kMaxDepth)
      refuse("it is nested too deeply");
    else
      use_as_number(unary());
    --depth_;
    return {.is_negative = true};
  }

  Operand primary() {
    const Lexeme token = token_;
    Operand part;
    if (++depth_ > kMaxDepth) {
      refuse("it is nested too deeply");
    } else if (accept("(")) {
      part = either();
      close();
    } else if (token.kind == Token::number) {
      part = number();
    } else if (token.kind == Token::name && !is("and") && !is("or") && !is("not")) {
      advance_over(token);
      part = is("(") ? call(token.text) : param(token.text);
    } else {
      refuse_token();
    }
    --depth_;
    part.needs_no_parens = true;
    return part;
  }

  Operand number() {
    std::int64_t value = 0;
    if (parse_integer(token_.text, value) != IntegerError::none)
      refuse(fmt::format("{} is not an integer", quote(token_.text)));
    advance_over(token_);
    return {.is_truth = value <= 1};
  }

  Operand param(std::string_view name) {
    const std::string* values = find_entry(params_, name);
    if (!values) {
      refuse(fmt::format("{} is not in tune_params", quote(name)));
      return {};
    }
    Operand part{.is_truth = true};
    for (const std::string_view text : split(*values, ',')) {
      part.is_negative = part.is_negative || text.starts_with('-');
      part.is_truth = part.is_truth && (text == "0" || text == "1");
    }
    return part;
  }

  // The functions that both languages have.
  Operand call(std::string_view name) {
    const bool is_abs = name == "abs";
    if (!is_abs && name != "min" && name != "max") {
      refuse(fmt::format("it calls {}", quote(name)));
      return {};
    }
    advance();
    Operand all;
    int count = 0;
    do {
      const Operand argument = either();
      use_as_number(argument);
      all.is_negative = all.is_negative || argument.is_negative;
      ++count;
    } while (accept(","));
    if (is_abs != (count == 1)) refuse(fmt::format("{} has a wrong number of arguments", name));
    if (is_abs) all.is_negative = false;
    close();
    return all;
  }

  void close() {
    if (!is(")")) return refuse_token();
    advance_over(token_);
  }

  // Also remembers where the last operand ends.
  void advance_over(const Lexeme& token) {
    end_ = token.begin + token.text.size();
    advance();
  }

  void use_as_number(const Operand& part) {
    if (part.is_chosen) refuse("it uses the result of `and` or `or` as a number, which in formulas is 0 or 1");
  }

  const std::string_view text_;
  const Entries& params_;
  Lexeme token_;
  std::size_t at_ = 0, end_ = 0;
  int depth_ = 0;
  std::vector<std::pair<std::size_t, char>> parens_; // to insert before these positions
  std::string why_;
};

} // namespace

Result<std::string> formula_of_restriction(std::string_view restriction, const Entries& params) {
  return RestrictionReader(restriction, params).read();
}

} // namespace warptune
