#include "jit/header_names.h"

#include "core/text.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace warptune {
namespace {

using Names = std::vector<std::pair<std::string, std::size_t>>;

bool has_name(const Names& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const auto& entry) { return entry.first == name; });
}

// X of `#include "X"`, or nothing.
std::string_view quoted_include(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('#')) return {};
  line = trim(line.substr(1));
  if (!line.starts_with("include")) return {};
  line = trim(line.substr(7));
  if (!line.starts_with('"')) return {};
  line.remove_prefix(1);
  return line.substr(0, line.find('"'));
}

void add_spellings(Names& names, const CompileRequest& request, const std::string& includer, std::string_view text) {
  const std::filesystem::path folder = std::filesystem::path(includer).parent_path();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view spelled = quoted_include(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (spelled.empty() || has_name(names, spelled)) continue;
    const std::string meant = (folder / spelled).lexically_normal().generic_string();
    const std::string from_top = std::filesystem::path(spelled).lexically_normal().generic_string();
    for (const std::string& candidate : {meant, from_top}) {
      const auto found = std::find_if(request.headers.begin(), request.headers.end(),
                                      [&](const auto& header) { return header.first == candidate; });
      if (found == request.headers.end()) continue;
      names.emplace_back(spelled, static_cast<std::size_t>(found - request.headers.begin()));
      break;
    }
  }
}

} // namespace

Names header_names(const CompileRequest& request) {
  Names names;
  for (std::size_t i = 0; i < request.headers.size(); ++i) names.emplace_back(request.headers[i].first, i);
  add_spellings(names, request, request.source_name, request.source);
  for (const auto& [name, text] : request.headers) add_spellings(names, request, name, text);
  return names;
}

} // namespace warptune
