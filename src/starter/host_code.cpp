#include "starter/host_code.h"

#include "core/text.h"
#include "spec/source_comments.h"
#include "starter/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace warptune {
namespace {

constexpr std::string_view kHide = "#ifndef __CUDACC_RTC__ // host code\n", kEndHide = "#endif\n";

bool is_host_word(std::string_view word) {
  constexpr std::array<std::string_view, 14> kWords = {"main",
                                                       "std",
                                                       "argc",
                                                       "malloc",
                                                       "free",
                                                       "exit",
                                                       "fopen",
                                                       "fprintf",
                                                       "getenv",
                                                       "rand",
                                                       "srand",
                                                       "EXIT_FAILURE",
                                                       "checkCudaErrors",
                                                       "getLastCudaError"};
  if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) return true;
  return word.size() > 4 && word.starts_with("cuda") && std::isupper(static_cast<unsigned char>(word[4])) != 0;
}

bool has_word_in(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words_in(text))
    if (std::find(words.begin(), words.end(), word) != words.end()) return true;
  return false;
}

// `head` is what precedes the body of a definition at namespace scope.
bool is_host_function(std::string_view head, std::string_view body) {
  if (head.find(')') == std::string_view::npos) return false;
  if (has_word_in(head, {"__device__", "__global__", "constexpr", "struct", "class", "union", "enum", "operator"}))
    return false;
  const auto in_body = words_in(body), in_head = words_in(head);
  return body.find("<<<") != std::string_view::npos || std::any_of(in_body.begin(), in_body.end(), is_host_word) ||
         std::any_of(in_head.begin(), in_head.end(), is_host_word);
}

bool is_transparent(std::string_view head) { // a namespace or extern "C": what is inside counts like what is around
  const std::string_view text = trim(head);
  return text.starts_with("namespace") || (text.starts_with("extern") && text.ends_with('"'));
}

std::size_t behind_literal(std::string_view code, std::size_t at) {
  const char quote_mark = code[at];
  for (++at; at < code.size() && code[at] != quote_mark && code[at] != '\n'; ++at)
    if (code[at] == '\\') ++at;
  return std::min(at + 1, code.size());
}

// The place behind the line, with the lines that a backslash adds to it.
std::size_t behind_directive(std::string_view code, std::size_t at) {
  while (true) {
    const std::size_t end = code.find('\n', at);
    if (end == std::string_view::npos) return code.size();
    if (end == 0 || code[end - 1] != '\\') return end + 1;
    at = end + 1;
  }
}

std::size_t behind_body(std::string_view code, std::size_t at) {
  int depth = 0;
  while (at < code.size()) {
    if (code[at] == '"' || code[at] == '\'') {
      at = behind_literal(code, at);
      continue;
    }
    if (code[at] == '{') ++depth;
    if (code[at] == '}' && --depth == 0) return at + 1;
    ++at;
  }
  return code.size();
}

struct Part {
  std::size_t begin = 0, end = 0;
};

std::vector<Part> host_functions(std::string_view code) {
  std::vector<Part> parts;
  std::size_t begin = 0; // of the declaration
  for (std::size_t at = 0; at < code.size();) {
    const char c = code[at];
    if (c == '"' || c == '\'') {
      at = behind_literal(code, at);
    } else if (c == '#') {
      begin = at = behind_directive(code, at);
    } else if (c == ';' || c == '}') {
      begin = ++at;
    } else if (c == '{') {
      const std::string_view head = code.substr(begin, at - begin);
      const std::size_t end = is_transparent(head) ? at + 1 : behind_body(code, at);
      const std::size_t first = begin + head.find_first_not_of(" \t\r\n");
      if (is_host_function(head, code.substr(at, end - at))) parts.push_back({first, end});
      begin = at = end;
    } else {
      ++at;
    }
  }
  return parts;
}

} // namespace

std::string with_hidden_host_functions(std::string_view source) {
  const std::string code = without_comments(source); // of the same length
  std::string out;
  std::size_t at = 0;
  for (const Part& part : host_functions(code)) {
    out += source.substr(at, part.begin - at);
    if (!out.empty() && out.back() != '\n') out += '\n';
    out.append(kHide).append(source.substr(part.begin, part.end - part.begin)).append("\n").append(kEndHide);
    at = part.end;
  }
  return out.append(source.substr(at));
}

std::string with_hidden_include(std::string_view source, std::string_view header) {
  const std::string code = without_comments(source);
  std::string out;
  std::size_t at = 0;
  for (const std::string_view line : lines_in(code)) {
    const std::string_view text = trim(line), original = source.substr(at, line.size());
    const std::size_t open = text.find_first_of("<\"");
    const bool is_it = text.starts_with('#') && trim(text.substr(1)).starts_with("include") &&
                       open != std::string_view::npos && text.substr(open + 1).starts_with(header) &&
                       text.size() == open + header.size() + 2;
    if (is_it) out += kHide;
    out += original;
    if (is_it && !original.ends_with('\n')) out += '\n';
    if (is_it) out += kEndHide;
    at += line.size();
  }
  return out;
}

std::string missing_header(std::string_view log) {
  constexpr std::string_view kBefore = "cannot open source file \"";
  const std::size_t at = log.find(kBefore);
  if (at == std::string_view::npos) return {};
  const std::string_view name = log.substr(at + kBefore.size());
  return std::string(name.substr(0, name.find('"')));
}

} // namespace warptune
