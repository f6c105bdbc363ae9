// The tokens of the two formula languages (integer and real), and the base class of both parsers. After its first error
// a parser treats the rest of the text as empty, so every parsing function returns.
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
  std::string_view text; // the token's text; for a string, without its quotes
  std::size_t begin = 0;
};

enum class Numbers { integer, real };

// Returns the next token at or after `at`, and moves `at` to its end.
Lexeme next_lexeme(std::string_view text, std::size_t& at, Numbers numbers);

inline constexpr std::int64_t kMaxFormulaWeight = 100'000; // maximum number of operations, with derived names expanded

// Fails if the text is too long for a formula.
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

  // Call this function on entering parentheses, a call, ?: or a unary operator, and call leave() after that part.
  // Reports an error and returns false if the nesting is too deep.
  bool enter(std::size_t begin);
  void leave() { --depth_; }

  // Reports an error unless a call of `function` has `least` to `most` arguments.
  void check_count(std::string_view function, int count, int least, int most, std::size_t begin);
  // Returns a hint for an unknown name: quote it if it is a label, use the dtype of a C++ type, or
  // use a similar known name.
  std::string name_suggestion(std::string_view name) const;
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
