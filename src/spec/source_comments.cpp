#include "spec/source_comments.h"

#include "core/text.h"

#include <algorithm>

namespace warptune {
namespace {

// From "//" to the end of its line; a backslash before it continues the comment.
std::size_t end_of_line_comment(std::string_view text, std::size_t at) {
  for (; at < text.size() && text[at] != '\n'; ++at)
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
  return std::min(at, text.size());
}

std::size_t end_of_block_comment(std::string_view text, std::size_t at) {
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

// The end of a literal that begins at `at`. One that is not closed ends with its line.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == quote) return at + 1;
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
  }
  return std::min(at, text.size());
}

// The end of R"name(...)name", whose quote is at `at`.
std::size_t end_of_raw_string(std::string_view text, std::size_t at) {
  const std::size_t open = text.find('(', at);
  if (open == std::string_view::npos) return text.size();
  const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

bool is_raw(std::string_view text, std::size_t quote) {
  if (quote == 0 || text[quote - 1] != 'R') return false;
  std::size_t begin = quote - 1;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  const std::string_view prefix = text.substr(begin, quote - 1 - begin);
  return prefix.empty() || prefix == "u8" || prefix == "u" || prefix == "U" || prefix == "L";
}

} // namespace

std::string without_comments(std::string_view source) {
  std::string code(source);
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    const char next = at + 1 < source.size() ? source[at + 1] : '\0';
    std::size_t end = at + 1;
    if (c == '/' && (next == '/' || next == '*')) {
      end = next == '/' ? end_of_line_comment(source, at) : end_of_block_comment(source, at);
      for (std::size_t i = at; i < end; ++i)
        if (code[i] != '\n') code[i] = ' ';
    } else if (c == '"') {
      end = is_raw(source, at) ? end_of_raw_string(source, at) : end_of_literal(source, at);
    } else if (c == '\'' && (at == 0 || !is_word(source[at - 1]))) { // not between the digits of 1'000
      end = end_of_literal(source, at);
    }
    at = end;
  }
  return code;
}

} // namespace warptune
