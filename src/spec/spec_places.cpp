#include "spec/spec_places.h"

#include "core/text.h"
#include "spec/source_comments.h"
#include "spec/source_hash.h"
#include "spec/spec_json_reader.h"

#include <algorithm>

namespace warptune {
namespace {

Place place_of_file(const SourceFiles& sources, const std::string& file, const std::string& pointer) {
  const std::string* text = find_source(sources, file);
  return {file, text ? json_line(*text, pointer) : 0, pointer};
}

// Returns 0 if the text defines no kernel with this name. Between `__global__` and the name are only attributes and a
// type.
int line_of_kernel(const std::string& text, std::string_view name) {
  const std::string code = without_comments(text);
  for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at > 0 && is_word(code[at - 1])) || end >= code.size() || is_word(code[end])) continue;
    const std::size_t begin = code.rfind("__global__", at);
    if (begin == std::string::npos || code.substr(begin, at - begin).find_first_of(";{}") != std::string::npos)
      continue;
    return 1 + static_cast<int>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  return 0;
}

} // namespace

Place place_of_kernel(const SourceFiles& sources, const std::string& source, std::string_view kernel) {
  std::string_view name = kernel.substr(0, kernel.find('<'));
  if (const std::size_t scope = name.rfind(':'); scope != std::string_view::npos) name.remove_prefix(scope + 1);
  if (const std::string* text = find_source(sources, source); text && !name.empty()) {
    if (const int line = line_of_kernel(*text, name); line > 0) return {source, line, {}};
    for (const auto& [file, included] : included_files(sources, source))
      if (const int line = line_of_kernel(included, name); line > 0) return {file, line, {}};
  }
  return {source, 0, {}};
}

Place place_in(const SourceFiles& sources, const Implementation& implementation, const std::string& pointer) {
  const std::string file = implementation.name + "/implementation.json";
  return place_of_file(sources, find_source(sources, file) ? file : "spec.json", pointer);
}

Place place_in_spec(const SourceFiles& sources, const std::string& pointer) {
  return place_of_file(sources, "spec.json", pointer);
}

std::string of_implementation(const Implementation& implementation) {
  return implementation.name.empty() ? "" : " of " + implementation.name;
}

} // namespace warptune
