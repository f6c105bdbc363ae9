// The implementations of an operator, and which of them is the default.
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>

namespace warptune {
namespace {

// These keys would have no effect.
void refuse_implementation_keys(const JsonCursor& root) {
  for (const char* key :
       {"params", "constraints", "compile", "source", "build", "symbols", "formerly", "implementation", "expected_us"})
    if (const auto found = root.find(key))
      found->error("\"" + std::string(key) +
                   "\" belongs to an implementation, but this spec.json has no \"launches\", so it describes no "
                   "implementation; move this key to implementation.json");
}

bool calls_libraries(const JsonCursor& implementation) {
  const auto launches = implementation.find("launches");
  if (!launches || !launches->is(JsonValue::Kind::list)) return false;
  const std::vector<JsonCursor> items = launches->items();
  return std::any_of(items.begin(), items.end(), [](const JsonCursor& item) {
    return item.is(JsonValue::Kind::object) && item.find("library").has_value();
  });
}

bool is_built(const JsonCursor& implementation) { return implementation.find("build").has_value(); }

// The default should need neither a library nor a command that the user must allow.
std::size_t default_part(const std::vector<ImplementationPart>& parts) {
  for (const bool may_build : {false, true})
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!calls_libraries(parts[i].cursor) && (may_build || !is_built(parts[i].cursor))) return i;
  return 0;
}

} // namespace

// The implementations of an operator: that of spec.json itself, if it has launches, and one for each folder.
std::vector<ImplementationPart>
DescriptionReader::find_parts(const JsonCursor& root, const std::vector<std::pair<std::string, JsonCursor>>& files) {
  std::vector<ImplementationPart> parts;
  const bool has_own = root.find("launches").has_value() || files.empty();
  if (has_own) parts.push_back({root, true, {}, 0, {}});
  if (!has_own) refuse_implementation_keys(root);
  for (const auto& [folder, cursor] : files) parts.push_back({cursor, false, folder + "/", 0, {}});
  std::vector<std::string> names;
  for (const ImplementationPart& part : parts) {
    const std::string own = format_ == 2 ? optional_text(root, "implementation") : std::string();
    names.push_back(!part.is_inline ? part.folder.substr(0, part.folder.size() - 1)
                    : !own.empty()  ? own
                    : files.empty() ? std::string()
                                    : std::string("main"));
    if (!names.back().empty()) (void)label_id(part.cursor, names.back());
    if (std::count(names.begin(), names.end(), names.back()) < 2) continue;
    if (const auto key = own.empty() ? std::nullopt : root.find("implementation"))
      key->error("there is a folder named " + quote(names.back()) + "; choose another name");
    else
      root.error("there is a folder named " + quote(names.back()) +
                 ", which is also the name of the implementation in spec.json; rename the folder");
  }
  std::size_t first = 0;
  if (const auto chosen = format_ == 2 ? root.find("default_implementation") : std::nullopt) {
    const auto found = std::find(names.begin(), names.end(), chosen->text());
    if (found == names.end())
      chosen->error("unknown implementation " + quote(chosen->text()) + suggest_name(chosen->text(), names));
    else
      first = static_cast<std::size_t>(found - names.begin());
  } else if (!has_own) {
    first = default_part(parts);
  }
  std::rotate(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(first),
              parts.begin() + static_cast<std::ptrdiff_t>(first) + 1);
  std::rotate(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(first),
              names.begin() + static_cast<std::ptrdiff_t>(first) + 1);
  spec_.implementations.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].index = i;
    spec_.implementations[i].name = names[i];
  }
  return parts;
}

} // namespace warptune
