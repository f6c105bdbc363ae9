#include "interchange/python_lexer.h"

#include "core/text.h"

#include <charconv>

namespace warptune {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

PyToken token(PyToken::Kind kind, std::string_view text, std::size_t begin, std::size_t end) {
  PyToken made;
  made.kind = kind;
  made.text = text.substr(begin, end - begin);
  made.begin = begin;
  return made;
}

PyToken refuse(std::string_view text, std::size_t begin, std::size_t end, const std::string& why) {
  PyToken made = token(PyToken::wrong, text, begin, end);
  made.content = quote(made.text) + " " + why;
  return made;
}

PyToken number(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size()) {
    const bool sign = (text[end] == '+' || text[end] == '-') && (text[end - 1] == 'e' || text[end - 1] == 'E');
    // A letter inside a number is an error; report the whole token.
    if (!is_digit(text[end]) && !is_letter(text[end]) && text[end] != '.' && !(end > begin && sign)) break;
    ++end;
  }
  const std::string_view all = text.substr(begin, end - begin);
  if (all.find_first_not_of("0123456789") == std::string_view::npos) {
    PyToken made = token(PyToken::integer, text, begin, end);
    if (all.size() > 1 && all[0] == '0' && all.find_first_not_of('0') != std::string_view::npos)
      return refuse(text, begin, end, "begins with a zero");
    if (parse_integer(all, made.value) != IntegerError::none) return refuse(text, begin, end, "does not fit 64 bits");
    return made;
  }
  PyToken made = token(PyToken::number, text, begin, end);
  const auto [stopped, wrong] = std::from_chars(all.data(), all.data() + all.size(), made.real);
  if (wrong == std::errc::result_out_of_range) return refuse(text, begin, end, "is beyond the range of floating point");
  if (wrong != std::errc() || stopped != all.data() + all.size())
    return refuse(text, begin, end, "is not a number; write a decimal one");
  return made;
}

PyToken quoted(std::string_view text, std::size_t begin) {
  PyToken made;
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == text[begin]) {
      const std::string content = std::move(made.content);
      made = token(PyToken::string, text, begin, at + 1);
      made.content = content;
      return made;
    }
    if (text[at] != '\\') {
      made.content += text[at];
      continue;
    }
    const char next = ++at < text.size() ? text[at] : ' ';
    if (next != '\\' && next != '\'' && next != '"')
      return refuse(text, begin, at, "contains an escape other than \\\\, \\' and \\\"");
    made.content += next;
  }
  return refuse(text, begin, text.size(), "has no closing quote");
}

} // namespace

PyToken next_py_token(std::string_view text, std::size_t& at) {
  while (at < text.size() && std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos) ++at;
  const std::size_t begin = at;
  if (at == text.size()) return token(PyToken::end, text, at, at);
  const char c = text[at];
  PyToken made;
  if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
    made = number(text, begin);
  } else if (is_letter(c)) {
    std::size_t end = at;
    while (end < text.size() && (is_digit(text[end]) || is_letter(text[end]))) ++end;
    made = token(PyToken::name, text, begin, end);
  } else if (c == '\'' || c == '"') {
    made = quoted(text, begin);
  } else {
    made = refuse(text, begin, begin + 1, "is not an operator that warptune supports in tuning files");
    for (const std::string_view symbol :
         {"//", "**", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{", "}", ","}) {
      if (!text.substr(at).starts_with(symbol)) continue;
      made = token(PyToken::symbol, text, begin, begin + symbol.size());
      break;
    }
  }
  at = begin + made.text.size();
  return made;
}

} // namespace warptune
