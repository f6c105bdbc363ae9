#include "starter/source_macros.h"

#include "core/text.h"
#include "spec/lint_names.h"
#include "spec/source_comments.h"
#include "starter/words.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace warptune {
namespace {

// "define" and " X 4" from "  # define X 4".
struct Directive {
  std::string_view word, rest;
};

Directive directive_of(std::string_view line) {
  const std::string_view text = trim(line);
  if (!text.starts_with('#')) return {};
  const std::string_view after = trim(text.substr(1));
  const std::size_t end =
      static_cast<std::size_t>(std::find_if_not(after.begin(), after.end(), is_word_char) - after.begin());
  return {after.substr(0, end), after.substr(end)};
}

std::string_view first_word(std::string_view text) {
  const std::string_view from = trim(text);
  return from.substr(0,
                     static_cast<std::size_t>(std::find_if_not(from.begin(), from.end(), is_word_char) - from.begin()));
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  text = trim(text);
  while (text.size() > 1 && text.front() == '(' && text.back() == ')') text = trim(text.substr(1, text.size() - 2));
  while (!text.empty() && (text.back() == 'u' || text.back() == 'U' || text.back() == 'l' || text.back() == 'L'))
    text.remove_suffix(1);
  std::int64_t value = 0;
  if (parse_integer(text, value) != IntegerError::none) return std::nullopt;
  return value;
}

class Macros {
 public:
  // `line` is the line without its comments, `written` the original.
  void read(std::string_view line, std::string_view written) {
    const Directive directive = directive_of(line);
    if (directive.word == "define") define(directive.rest, written.substr(std::min(trim_end(line), written.size())));
    if (directive.word == "if" || directive.word == "elif") test(directive.rest);
    const std::string_view rest = trim(directive.rest);
    guarded_ = directive.word == "ifndef" ? first_word(rest)
               : directive.word == "if" && rest.starts_with("!defined")
                   ? first_word(rest.substr(8 + (rest.size() > 8 && rest[8] == '(' ? 1 : 0)))
               : directive.word.empty() ? guarded_
                                        : std::string_view();
  }
  std::vector<SourceMacro> take() {
    std::erase_if(all_, [](const SourceMacro& macro) { return !macro.is_defined && !macro.is_tested; });
    return std::move(all_);
  }

 private:
  static std::size_t trim_end(std::string_view line) { return line.find_last_not_of(" \t\r\n") + 1; }

  void define(std::string_view text, std::string_view comment) {
    const std::string_view name = first_word(text);
    std::string_view content = trim(text);
    content.remove_prefix(name.size());
    if (name.empty() || is_reserved_macro(name) || trim(content).empty()) return;
    SourceMacro& macro = at(name);
    if (!macro.is_defined) {
      macro.initial = integer_of(content);
      const std::string_view said = trim(comment);
      if (said.starts_with("//")) macro.meaning = trim(said.substr(2));
    }
    macro.is_defined = true;
    macro.takes_arguments = macro.takes_arguments || content.front() == '('; // "(" directly after the name
    macro.is_guarded = macro.is_guarded || guarded_ == name;
  }

  // Counts a name in a condition only if its value is read: not in defined(X), and not F in F(X).
  void test(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      if (!is_word_char(text[begin])) {
        ++begin;
        continue;
      }
      std::size_t end = begin;
      while (end < text.size() && is_word_char(text[end])) ++end;
      const std::string_view word = text.substr(begin, end - begin);
      begin = end;
      const std::string_view after = trim(text.substr(end));
      if (word == "defined" || after.starts_with('(')) {
        const std::size_t close = text.find(')', end);
        begin = after.starts_with('(') ? std::min(close, text.size())
                                       : end + after.find(first_word(after)) + first_word(after).size() + 1;
      } else if (std::isdigit(static_cast<unsigned char>(word.front())) == 0 && !is_reserved_macro(word)) {
        at(word).is_tested = true;
      }
    }
  }

  SourceMacro& at(std::string_view name) {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const SourceMacro& m) { return m.name == name; });
    if (found != all_.end()) return *found;
    all_.emplace_back().name = name;
    return all_.back();
  }

  std::vector<SourceMacro> all_;
  std::string_view guarded_; // set by the directive before this one
};

} // namespace

std::vector<SourceMacro> source_macros(std::string_view source) {
  const std::string code = without_comments(source);
  Macros macros;
  std::size_t at = 0;
  for (const std::string_view line : lines_in(code)) {
    macros.read(line, source.substr(at, line.size()));
    at += line.size();
  }
  return macros.take();
}

bool reads_macro(std::string_view source, std::string_view name) {
  const std::string code = without_comments(source);
  for (const std::string_view line : lines_in(code)) {
    const Directive directive = directive_of(line);
    const bool names_it = first_word(directive.rest) == name;
    if (names_it && (directive.word == "ifndef" || directive.word == "ifdef" || directive.word == "undef")) continue;
    std::string_view text = line;
    if (names_it && directive.word == "define") text = trim(directive.rest).substr(name.size());
    const auto words = words_in(text);
    if (std::find(words.begin(), words.end(), name) != words.end()) return true;
  }
  return false;
}

std::vector<std::int64_t> propose_values(const SourceMacro& macro) {
  const std::int64_t value = macro.initial.value_or(0);
  if (value == 0 || (value == 1 && macro.is_tested))
    return macro.is_tested ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{value};
  const bool is_power = value > 0 && (value & (value - 1)) == 0 && value <= 4096;
  if (!is_power || macro.is_tested) return {value};
  if (value == 1) return {1, 2, 4};
  return {value / 2, value, value * 2};
}

std::string with_guard(std::string_view source, std::string_view name) {
  const std::string code = without_comments(source); // text of the same length, without comments
  std::string out;
  std::size_t at = 0;
  for (const std::string_view line : lines_in(code)) {
    const std::string_view original = source.substr(at, line.size());
    const Directive directive = directive_of(line);
    const bool is_it = directive.word == "define" && first_word(directive.rest) == name;
    if (is_it) out += fmt::format("#ifndef {}\n", name);
    out += original;
    if (is_it) out += original.ends_with('\n') ? "#endif\n" : "\n#endif\n";
    at += line.size();
  }
  return out;
}

} // namespace warptune
