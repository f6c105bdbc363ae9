// What the two languages of formulas share: their words, and how a parser walks over them. The first error stands; the
// text then seems to end, so that every function of a parser returns.
#pragma once

#include "core/expr.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

enum class Token { end, number, name, string, symbol, unknown };

struct Lexeme {
  Token kind = Token::end;
  std::string_view text; // strings: without their quotes
  std::size_t begin = 0;
};

enum class Numbers { integer, real };

// The next word from `at` on, which moves behind it.
Lexeme next_lexeme(std::string_view text, std::size_t& at, Numbers numbers);

inline constexpr std::int64_t kMaxFormulaWeight = 100'000; // operations with derived names written out

// For a text that is too long to be a formula.
Result<void> check_formula_size(std::string_view text);

class FormulaTokens {
 protected:
  FormulaTokens(std::string_view text, const Scope& scope, Numbers numbers)
      : text_(text), scope_(scope), numbers_(numbers) {
    advance();
  }

  void error(const std::string& what, std::size_t begin);
  void unexpected(const std::string& expected);
  bool failed() const { return !error_.empty(); }
  const std::string& error_text() const { return error_; }

  void advance() { token_ = next_lexeme(text_, at_, numbers_); }
  bool is(std::string_view symbol) const {
    return (token_.kind == Token::symbol || token_.kind == Token::name) && token_.text == symbol;
  }
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol) {
    if (!accept(symbol)) unexpected("'" + std::string(symbol) + "'");
  }

  // Into parentheses, a call, ?: or a unary operator; the caller leaves again.
  bool enter(std::size_t begin);
  void leave() { --depth_; }

  // Of a name of a call that `least` to `most` arguments go to.
  void check_count(std::string_view function, int count, int least, int most, std::size_t begin);
  std::string name_suggestion(std::string_view name) const; // of an unknown name: a label without quotes, or a name
  static std::string suggestion(std::string_view name, const std::vector<std::string>& known);

  const std::string_view text_;
  const Scope& scope_;
  Lexeme token_;

 private:
  const Numbers numbers_;
  std::string error_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

} // namespace warptune
