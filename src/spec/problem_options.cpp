#include "spec/problem_options.h"

#include "core/text.h"

namespace warptune {
namespace {

std::string quoted(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,./:@%";
  if (word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

} // namespace

std::string problem_options(std::string_view key) {
  const auto parts = split(key, ';');
  std::string text;
  const auto add = [&](std::string_view option, std::string_view value) {
    text += (text.empty() ? "" : " ") + std::string(option) + " " + quoted(value);
  };
  if (!parts.front().empty()) add("--shape", parts.front()); // a kernel whose dims are fixed needs none
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].find('=') == std::string_view::npos)
      add("--dtype", parts[i]);
    else
      for (const std::string_view flag : split(parts[i], ',')) add("--set", flag);
  }
  return text;
}

} // namespace warptune
