#include "capture/buffer_use.h"

#include "spec/source_comments.h"
#include "starter/words.h"

#include <cctype>
#include <string>

namespace warptune {
namespace {

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

// The position after the bracket that closes the one at `at`.
std::size_t after_brackets(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']' && --depth == 0) return at + 1;
  }
  return at;
}

// "float* y", "T *__restrict__ y": a star after a word, possibly followed by qualifiers.
bool is_declared(std::string_view before) {
  const auto trim_end = [&] {
    while (!before.empty() && std::isspace(static_cast<unsigned char>(before.back())) != 0) before.remove_suffix(1);
  };
  trim_end();
  for (const std::string_view qualifier : {"__restrict__", "__restrict", "const", "volatile"})
    if (before.ends_with(qualifier)) {
      before.remove_suffix(qualifier.size());
      trim_end();
    }
  if (!before.ends_with('*')) return false;
  before.remove_suffix(1);
  trim_end();
  return !before.empty() && (is_word_char(before.back()) || before.back() == '>');
}

} // namespace

bool is_only_written(std::string_view source, std::string_view name) {
  const std::string code = without_comments(source);
  bool is_written = false;
  for (const std::string_view word : words_in(code)) {
    if (word != name) continue;
    const auto begin = static_cast<std::size_t>(word.data() - code.data());
    const std::string_view text = code;
    std::size_t at = skip_blanks(text, begin + word.size());
    const char next = at < text.size() ? text[at] : '\0';
    if ((next == ',' || next == ')') && is_declared(text.substr(0, begin))) continue;
    if (next != '[') return false;
    const std::size_t before = text.substr(0, begin).find_last_not_of(" \t\r\n");
    if (before != std::string_view::npos && text[before] == '&') return false; // the address of the element is taken
    at = skip_blanks(text, after_brackets(text, at));
    if (at >= text.size() || text[at] != '=' || text.substr(at).starts_with("==")) return false;
    is_written = true;
  }
  return is_written;
}

} // namespace warptune
