#include "core/shell_words.h"

#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace warptune {

std::string resume_command(std::vector<std::string> words) {
  if (std::find(words.begin(), words.end(), "--resume") == words.end()) words.emplace_back("--resume");
  return quote_for_shell(words);
}

std::string quote_for_script(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,./:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string quote_for_shell(const std::string& word) {
  const bool is_utf8 = find_invalid_utf8(word) == std::string::npos;
  if (!is_utf8 || std::any_of(word.begin(), word.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
    // Control characters and invalid bytes would be shown as escapes, so they are written as escapes that a shell reads
    // back.
    std::string out = "$'";
    for (const char c : word) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7f || (!is_utf8 && byte >= 0x80))
        out += fmt::format("\\x{:02x}", byte);
      else
        out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "'";
  }
  return quote_for_script(word);
}

std::string quote_path_for_shell(const std::string& path) {
  return quote_for_shell(path.starts_with("-") ? "./" + path : path);
}

std::string quote_for_shell(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + quote_for_shell(word);
  return out;
}

} // namespace warptune
