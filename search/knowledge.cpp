#include "search/knowledge.h"

#include "core/text.h"

#include <array>
#include <utility>

namespace warptune {
namespace {

constexpr std::array<std::pair<const char*, bool KnowledgeParts::*>, 3> kParts{
    {{"features", &KnowledgeParts::features}, {"prior", &KnowledgeParts::prior}, {"hints", &KnowledgeParts::hints}}};

} // namespace

const Knowledge& no_knowledge() {
  static const Knowledge none;
  return none;
}

Result<KnowledgeParts> parse_knowledge(std::string_view text) {
  if (text == "all") return KnowledgeParts{};
  KnowledgeParts parts{false, false, false};
  if (text == "none") return parts;
  for (const std::string_view word : split(text, ',')) {
    bool known = false;
    for (const auto& [name, part] : kParts)
      if (word == name) known = parts.*part = true;
    if (!known)
      return fail(ErrorKind::bad_input, "unknown knowledge " + quote(word) +
                                            "; write a list of features, prior and hints, or nothing but all or none");
  }
  return parts;
}

std::string knowledge_text(const KnowledgeParts& parts) {
  if (parts == KnowledgeParts{}) return "all";
  std::string text;
  for (const auto& [name, part] : kParts)
    if (parts.*part) text += (text.empty() ? "" : ",") + std::string(name);
  return text.empty() ? "none" : text;
}

} // namespace warptune
