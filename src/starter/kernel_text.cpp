#include "starter/kernel_text.h"

#include "core/text.h"
#include "spec/source_comments.h"
#include "starter/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace warptune {
namespace {

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

// The position after the bracket that closes the one at `at`; npos if none does.
std::size_t behind(std::string_view text, std::size_t at, char open, char close) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> split_parameters(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (c != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

bool is_part_of_a_type(std::string_view word) {
  constexpr std::array<std::string_view, 20> kWords = {"const",
                                                       "volatile",
                                                       "unsigned",
                                                       "signed",
                                                       "char",
                                                       "short",
                                                       "int",
                                                       "long",
                                                       "float",
                                                       "double",
                                                       "bool",
                                                       "void",
                                                       "__restrict__",
                                                       "restrict",
                                                       "half",
                                                       "auto",
                                                       "struct",
                                                       "__restrict",
                                                       "__grid_constant__",
                                                       "size_t"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// "n" of "const int n = 4" and of "int n[]"; empty if it has no name.
std::string parameter_name(std::string_view parameter) {
  const std::string_view declared = parameter.substr(0, parameter.find_first_of("=["));
  const auto words = words_in(declared);
  if (words.empty() || is_part_of_a_type(words.back())) return {};
  const std::string_view type =
      trim(declared.substr(0, static_cast<std::size_t>(words.back().data() - declared.data())));
  return type.empty() || trim(declared).back() == '*' ? std::string() : std::string(words.back());
}

std::vector<std::string> parameter_names(std::string_view list) {
  std::vector<std::string> names;
  if (trim(list).empty() || trim(list) == "void") return names;
  for (const std::string_view part : split_parameters(list)) {
    std::string name = parameter_name(part);
    if (name.empty()) name = "arg" + std::to_string(names.size() + 1);
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<TemplateParameter> template_parameters(std::string_view list) {
  std::vector<TemplateParameter> all;
  if (trim(list).empty()) return all;
  for (const std::string_view part : split_parameters(list)) {
    TemplateParameter one;
    const auto words = words_in(part.substr(0, part.find('=')));
    if (!words.empty()) one.name = words.back();
    one.is_type = !words.empty() && (words.front() == "typename" || words.front() == "class");
    one.is_bool = !words.empty() && words.front() == "bool";
    if (const std::size_t equals = part.find('='); equals != std::string_view::npos)
      one.initial = trim(part.substr(equals + 1));
    all.push_back(std::move(one));
  }
  return all;
}

// "typename T, int N" if a template head is directly before `at`.
std::string_view template_head(std::string_view code, std::size_t at) {
  const std::string_view before = code.substr(0, at);
  std::size_t begin = before.find_last_of(";}");
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  if (const std::size_t directive = before.rfind('#'); directive != std::string_view::npos && directive >= begin)
    begin = std::min(before.find('\n', directive), at);
  const std::size_t head = before.rfind("template");
  if (head == std::string_view::npos || head < begin) return {};
  const std::size_t open = skip_blanks(code, head + 8);
  const std::size_t end = open < at && code[open] == '<' ? behind(code, open, '<', '>') : std::string_view::npos;
  return end == std::string_view::npos || end > at ? std::string_view() : code.substr(open + 1, end - open - 2);
}

// The kernel whose __global__ ends at `at`. Its name precedes the last parenthesised list before the body or the
// semicolon.
std::optional<KernelText> read_kernel(std::string_view code, std::size_t at) {
  for (std::size_t next = at; next < code.size();) {
    if (!is_word_char(code[next])) {
      if (code[next] == ';' || code[next] == '{' || code[next] == '}') return std::nullopt;
      ++next;
      continue;
    }
    const std::size_t begin = next;
    while (next < code.size() && is_word_char(code[next])) ++next;
    const std::size_t open = skip_blanks(code, next);
    if (open >= code.size() || code[open] != '(') continue;
    const std::size_t end = behind(code, open, '(', ')');
    if (end == std::string_view::npos) return std::nullopt;
    const std::size_t after = skip_blanks(code, end);
    const std::string_view name = code.substr(begin, next - begin);
    next = end;
    if (name.starts_with("__") || after >= code.size() || (code[after] != '{' && code[after] != ';')) continue;
    return KernelText{std::string(name), parameter_names(code.substr(open + 1, end - open - 2)), {}};
  }
  return std::nullopt;
}

} // namespace

std::vector<KernelText> find_kernels(std::string_view source) {
  constexpr std::string_view kGlobal = "__global__";
  const std::string code = without_comments(source);
  std::vector<KernelText> kernels;
  for (std::size_t at = 0; (at = code.find(kGlobal, at)) != std::string::npos; at += kGlobal.size()) {
    auto kernel = read_kernel(code, at + kGlobal.size());
    if (!kernel) continue;
    kernel->template_parameters = template_parameters(template_head(code, at));
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

} // namespace warptune
