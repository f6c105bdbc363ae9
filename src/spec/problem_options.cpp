#include "spec/problem_options.h"

#include "core/shell_words.h"
#include "core/text.h"

namespace warptune {

std::string problem_options(std::string_view key) {
  const auto parts = split(key, ';');
  std::string text;
  const auto add = [&](std::string_view option, std::string_view value) {
    text += (text.empty() ? "" : " ") + std::string(option) + " " + quote_for_shell(std::string(value));
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
