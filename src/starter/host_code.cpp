#include "starter/host_code.h"

#include "core/text.h"
#include "spec/source_comments.h"
#include "starter/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
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
  for (const std::string_view library : {"cuda", "cublas", "cudnn", "cufft", "curand", "cusparse"}) // cudaStream_t
    if (word.starts_with(library) && word.size() > library.size() &&
        std::isupper(static_cast<unsigned char>(word[library.size()])) != 0)
      return true;
  return false;
}

bool has_word_in(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words_in(text))
    if (std::find(words.begin(), words.end(), word) != words.end()) return true;
  return false;
}

constexpr std::string_view kTemplate = "template";

bool has_template_head(std::string_view text) {
  return text.starts_with(kTemplate) && trim(text.substr(kTemplate.size())).starts_with('<');
}

// "void f(T x)" of "template <class T> void f(T x)".
std::string_view without_template_head(std::string_view head) {
  std::string_view text = trim(head);
  while (has_template_head(text)) {
    std::size_t at = text.find('<');
    for (int depth = 0; at < text.size(); ++at) {
      if (text[at] == '<') ++depth;
      if (text[at] == '>' && --depth == 0) break;
    }
    text = trim(text.substr(std::min(at, text.size() - 1) + 1));
  }
  return text;
}

bool is_transparent(std::string_view head) { // a namespace or extern "C": its contents are handled as if outside
  const std::string_view text = trim(head);
  return text.starts_with("namespace") || (text.starts_with("extern") && text.ends_with('"'));
}

std::size_t behind_literal(std::string_view code, std::size_t at) {
  const char quote_mark = code[at];
  for (++at; at < code.size() && code[at] != quote_mark && code[at] != '\n'; ++at)
    if (code[at] == '\\') ++at;
  return std::min(at + 1, code.size());
}

// The position after the line, including the lines that a backslash joins to it.
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

// A definition or declaration at namespace scope.
struct Part {
  std::size_t begin = 0, end = 0;
  std::string_view head, body; // no body: a declaration, or a variable
};

bool is_host(const Part& part) {
  const std::string_view head = without_template_head(part.head);
  if (has_word_in(head, {"__device__", "__global__", "constexpr", "struct", "class", "union", "enum", "operator"}))
    return false;
  if (head.starts_with(kTemplate)) return true; // "template void f<int>(int x);" instantiates a host function
  const auto in_body = words_in(part.body), in_head = words_in(head);
  if (std::any_of(in_head.begin(), in_head.end(), is_host_word)) return true;
  return head.find(')') != std::string_view::npos &&
         (part.body.find("<<<") != std::string_view::npos || std::any_of(in_body.begin(), in_body.end(), is_host_word));
}

std::vector<Part> parts_of(std::string_view code) {
  std::vector<Part> parts;
  const auto add = [&](std::size_t begin, std::size_t body, std::size_t end) {
    const std::string_view head = code.substr(begin, body - begin);
    const std::size_t first = begin + std::min(head.find_first_not_of(" \t\r\n"), head.size());
    if (first < body) parts.push_back({first, end, head, code.substr(body, end - body)});
  };
  std::size_t begin = 0; // beginning of the declaration
  for (std::size_t at = 0; at < code.size();) {
    const char c = code[at];
    if (c == '"' || c == '\'') {
      at = behind_literal(code, at);
    } else if (c == '#') {
      begin = at = behind_directive(code, at);
    } else if (c == ';' || c == '}') {
      ++at;
      if (c == ';') add(begin, at, at);
      begin = at;
    } else if (c == '{') {
      const bool is_around = is_transparent(code.substr(begin, at - begin));
      const std::size_t end = is_around ? at + 1 : behind_body(code, at);
      if (!is_around) add(begin, at, end);
      begin = at = end;
    } else {
      ++at;
    }
  }
  return parts;
}

bool is_hidden(std::string_view before) { return before.ends_with(kHide); }

template <typename Condition> std::string with_hidden_parts(std::string_view source, Condition is_to_hide) {
  const std::string code = without_comments(source); // text of the same length, without comments
  std::string out;
  std::size_t at = 0;
  for (const Part& part : parts_of(code)) {
    if (!is_to_hide(part) || is_hidden(source.substr(0, part.begin))) continue;
    out += source.substr(at, part.begin - at);
    if (!out.empty() && out.back() != '\n') out += '\n';
    out.append(kHide).append(source.substr(part.begin, part.end - part.begin)).append("\n").append(kEndHide);
    at = part.end;
  }
  return out.append(source.substr(at));
}

std::string with_hidden_line(std::string_view source, std::size_t line) {
  std::size_t at = 0;
  for (std::size_t number = 1; number < line && at != std::string_view::npos; ++number) {
    at = source.find('\n', at);
    if (at != std::string_view::npos) ++at;
  }
  const std::size_t end = std::min(source.find('\n', at), source.size());
  return with_hidden_parts(source, [&](const Part& part) { return part.begin < end && part.end > at; });
}

template <typename Condition> std::string with_hidden_includes(std::string_view source, Condition is_to_hide) {
  const std::string code = without_comments(source);
  std::string out;
  std::size_t at = 0;
  for (const std::string_view line : lines_in(code)) {
    const std::string_view text = trim(line), original = source.substr(at, line.size());
    const std::size_t open = text.find_first_of("<\"");
    const bool is_it = text.starts_with('#') && trim(text.substr(1)).starts_with("include") && open + 2 < text.size() &&
                       is_to_hide(text.substr(open + 1, text.size() - open - 2)) && !is_hidden(source.substr(0, at));
    if (is_it) out += kHide;
    out += original;
    if (is_it && !original.ends_with('\n')) out += '\n';
    if (is_it) out += kEndHide;
    at += line.size();
  }
  return out;
}

// Toolkit headers for host compilers: NVRTC finds them, but not the headers that they include.
bool is_host_library(std::string_view header) {
  constexpr std::array<std::string_view, 10> kBeginnings = {"cublas",   "cudnn",    "cufft", "cupti", "curand.h",
                                                            "cusolver", "cusparse", "nccl",  "npp",   "nvml"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view beginning) { return header.starts_with(beginning); });
}

// The header that the compiler's log reports as missing, such as "stdio.h"; empty if none is.
std::string missing_header(std::string_view log) {
  constexpr std::string_view kBefore = "cannot open source file \"";
  const std::size_t at = log.find(kBefore);
  if (at == std::string_view::npos) return {};
  const std::string_view name = log.substr(at + kBefore.size());
  return std::string(name.substr(0, name.find('"')));
}

// A variable that needs host code to initialise: "kernel.cu" and 7 from "kernel.cu(7): error: dynamic ...".
struct HostVariable {
  std::string_view file;
  std::int64_t line = 0; // 0: none
};

HostVariable host_variable(std::string_view log) {
  const std::size_t at = log.find("): error: dynamic initialization is not supported");
  if (at == std::string_view::npos) return {};
  const std::size_t open = log.rfind('(', at);
  std::int64_t line = 0;
  if (open == std::string_view::npos || parse_integer(log.substr(open + 1, at - open - 1), line) != IntegerError::none)
    return {};
  const std::size_t begin = log.rfind('\n', open) + 1; // 0 if there is no line before
  return {log.substr(begin, open - begin), line};
}

template <typename Hide> // what: "host functions are"
std::string hide_in_files(SourceFiles& sources, const std::string& what, Hide hide) {
  std::vector<std::string> changed;
  for (auto& [name, text] : sources.files) {
    std::string hidden = hide(name, text);
    if (hidden == text) continue;
    text = std::move(hidden);
    changed.push_back(name);
  }
  if (changed.empty()) return {};
  return fmt::format("in {}, {} hidden from NVRTC by #ifndef __CUDACC_RTC__", fmt::join(changed, ", "), what);
}

} // namespace

std::string hide_host_code(SourceFiles& sources, std::string_view log) {
  using Text = const std::string&;
  if (const std::string header = missing_header(log); !header.empty()) {
    std::string note = hide_in_files(sources, "#include of " + header + " is", [&](Text, Text text) {
      return with_hidden_includes(text, [&](std::string_view name) { return name == header; });
    });
    if (!note.empty()) return note;
    return hide_in_files(sources, "includes of host libraries are",
                         [](Text, Text text) { return with_hidden_includes(text, is_host_library); });
  }
  if (const HostVariable variable = host_variable(log); variable.line > 0)
    return hide_in_files(sources, "a host variable is", [&](Text name, Text text) {
      return name == variable.file ? with_hidden_line(text, static_cast<std::size_t>(variable.line)) : text;
    });
  return hide_in_files(sources, "host functions and variables are",
                       [](Text, Text text) { return with_hidden_parts(text, is_host); });
}

} // namespace warptune
