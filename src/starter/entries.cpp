#include "starter/entries.h"

#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

// "BLOCK" of "BLOCK=64"; empty if the part is not the start of an entry. "a == b" is not one.
std::string_view entry_name(std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos || part.substr(equals).starts_with("==")) return {};
  const std::string_view name = trim(part.substr(0, equals));
  return is_identifier(name) ? name : std::string_view();
}

} // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '\'') is_quoted = !is_quoted;
    if (!is_quoted && (c == '(' || c == '[')) ++depth;
    if (!is_quoted && (c == ')' || c == ']')) --depth;
    if (at < text.size() && (c != ',' || depth > 0 || is_quoted)) continue;
    parts.emplace_back(trim(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return parts;
}

Result<void> add_entries(std::string_view option, std::string_view text, Entries& entries) {
  std::string* last = nullptr;
  for (const std::string& part : split_list(text)) {
    const std::string_view name = entry_name(part);
    if (name.empty() && last) {
      *last += "," + part;
      continue;
    }
    const std::string value(name.empty() ? "" : trim(std::string_view(part).substr(part.find('=') + 1)));
    if (value.empty())
      return fail(ErrorKind::bad_input, fmt::format("{} {}: {} must be NAME=VALUE", option, quote(text), quote(part)));
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == name; });
    if (found == entries.end()) {
      last = &entries.emplace_back(std::string(name), value).second;
    } else {
      found->second = value;
      last = &found->second;
    }
  }
  return {};
}

const std::string* find_entry(const Entries& entries, std::string_view name) {
  for (const auto& [known, text] : entries)
    if (known == name) return &text;
  return nullptr;
}

} // namespace warptune
