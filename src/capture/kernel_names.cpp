#include "capture/kernel_names.h"

#include "core/text.h"
#include "jit/demangled.h"

namespace warptune {
namespace {

// The first position, from `at` on, of any character of `wanted` outside of brackets; the length if there is none.
std::size_t find_outside(std::string_view text, std::string_view wanted, std::size_t at = 0) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && wanted.find(c) != std::string_view::npos) return at;
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
  }
  return text.size();
}

} // namespace

KernelName kernel_name(std::string_view mangled) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string text = demangled(std::string(mangled));
  for (std::size_t at = text.find(kAnonymous); at != std::string::npos; at = text.find(kAnonymous))
    text.erase(at, kAnonymous.size());
  std::string_view rest = text;
  if (rest.starts_with("void ")) rest.remove_prefix(5); // only templates have a return type
  KernelName name;
  name.full = rest.substr(0, find_outside(rest, "("));
  const std::string_view full = name.full;
  const std::size_t open = full.ends_with('>') ? find_outside(full, "<") : std::string_view::npos;
  name.base = full.substr(0, open);
  if (open == std::string_view::npos) return name;
  const std::string_view list = full.substr(open + 1, full.size() - open - 2);
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = find_outside(list, ",", at);
    name.template_arguments.emplace_back(trim(list.substr(at, end - at)));
    at = end + 1;
  }
  return name;
}

} // namespace warptune
