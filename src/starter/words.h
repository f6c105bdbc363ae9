// Words (letters, digits and underscores) and lines of C++ sources and formulas.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

inline bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns the words of a text in order; numbers count as words.
inline std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t begin = at;
    while (at < text.size() && is_word_char(text[at])) ++at;
    if (at > begin) words.push_back(text.substr(begin, at - begin));
  }
  return words;
}

// Returns the lines of a text, each with its line break, so that joining them gives the text.
inline std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end == std::string_view::npos ? end : end + 1));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

// Returns the text with each word replaced by replace(word).
template <class Replace> std::string replace_words(std::string_view text, Replace replace) {
  std::string out;
  std::size_t at = 0;
  for (const std::string_view word : words_in(text)) {
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    out += text.substr(at, begin - at);
    out += replace(word);
    at = begin + word.size();
  }
  return out.append(text.substr(at));
}

} // namespace warptune
