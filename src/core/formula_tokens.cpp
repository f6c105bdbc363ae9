#include "core/formula_tokens.h"

#include "core/cpp_types.h"
#include "core/text.h"

#include <charconv>

namespace warptune {
namespace {

constexpr int kMaxDepth = 200; // nesting of parentheses, calls, ?: and unary operators
constexpr std::size_t kMaxText = std::size_t{64} * 1024;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Letters and points inside a number are part of the token (1.5, 1e6, 0x10; in real formulas 1.2.3), so that the error
// names it as a whole.
std::size_t end_of_number(std::string_view text, std::size_t at, Numbers numbers) {
  std::size_t end = at;
  if (numbers == Numbers::real) {
    double value = 0;
    end =
        static_cast<std::size_t>(std::from_chars(text.data() + at, text.data() + text.size(), value).ptr - text.data());
  }
  while (end < text.size() && (is_digit(text[end]) || is_letter(text[end]) || text[end] == '.')) ++end;
  return end;
}

} // namespace

Lexeme next_lexeme(std::string_view text, std::size_t& at, Numbers numbers) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) ++at;
  const std::size_t begin = at;
  if (at == text.size()) return {Token::end, {}, begin};
  const char c = text[at];
  const auto upto = [&](std::size_t end, Token kind) {
    at = end;
    return Lexeme{kind, text.substr(begin, end - begin), begin};
  };
  if (is_digit(c) || (c == '.' && numbers == Numbers::real))
    return upto(end_of_number(text, at, numbers), Token::number);
  if (is_letter(c)) {
    std::size_t end = at;
    while (end < text.size() && (is_digit(text[end]) || is_letter(text[end]))) ++end;
    return upto(end, Token::name);
  }
  if (c == '\'' || c == '"') {
    const std::size_t close = text.find(c, at + 1);
    if (close == std::string_view::npos) return upto(text.size(), Token::unknown);
    at = close + 1;
    return {Token::string, text.substr(begin + 1, close - begin - 1), begin};
  }
  for (const std::string_view symbol : {"&&", "||", "==", "!=", "<=", ">="})
    if (text.substr(at).starts_with(symbol)) return upto(at + 2, Token::symbol);
  if (std::string_view("?:<>+-*/%!(),").find(c) != std::string_view::npos) return upto(at + 1, Token::symbol);
  return upto(at + 1, Token::unknown);
}

Result<void> check_formula_size(std::string_view text) {
  if (text.size() <= kMaxText) return {};
  return fail(ErrorKind::bad_input, "the formula " + quote(text) + " is longer than 64 KiB; use derived names");
}

void FormulaTokens::error(const std::string& what, std::size_t begin) {
  if (failed()) return;
  error_ = with_column(what, begin + 1, text_);
  token_ = {Token::end, {}, text_.size()};
  at_ = text_.size();
}

void FormulaTokens::unexpected(const std::string& expected) {
  if (token_.kind == Token::end) return error("the formula ends where " + expected + " is expected", token_.begin);
  if (token_.kind == Token::unknown && (token_.text[0] == '\'' || token_.text[0] == '"'))
    return error("a quoted string without its closing quote", token_.begin);
  error("unexpected " + quote(token_.text) + " where " + expected + " is expected", token_.begin);
}

bool FormulaTokens::accept(std::string_view symbol) {
  if (!is(symbol)) return false;
  advance();
  return true;
}

bool FormulaTokens::enter(std::size_t begin) {
  if (++depth_ <= kMaxDepth) return true;
  error("nested more than " + std::to_string(kMaxDepth) + " deep; use derived names", begin);
  return false;
}

void FormulaTokens::check_count(std::string_view function, int count, int least, int most, std::size_t begin) {
  if (count >= least && count <= most) return;
  error(quote(function) + " takes " + std::to_string(least) +
            (most > least ? " or more arguments"
             : least == 1 ? " argument"
                          : " arguments"),
        begin);
}

std::string FormulaTokens::name_suggestion(std::string_view name) const {
  if (scope_.find_string(name)) return "; did you forget the quotes of the label '" + std::string(name) + "'?";
  if (const auto dtype = dtype_of_cpp(name); dtype && scope_.contains(dtype_name(*dtype)))
    return "; did you mean the dtype '" + std::string(dtype_name(*dtype)) + "'?";
  return suggestion(name, scope_.names());
}

std::string FormulaTokens::suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

} // namespace warptune
