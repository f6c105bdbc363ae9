#include "search/knowledge.h"

#include "core/text.h"

#include <array>
#include <utility>

namespace warptune {
namespace {

constexpr std::array<std::pair<const char*, bool KnowledgeParts::*>, 4> kParts{
    {{"features", &KnowledgeParts::features},
     {"prior", &KnowledgeParts::prior},
     {"hints", &KnowledgeParts::hints},
     {"counters", &KnowledgeParts::counters}}};

} // namespace

const Knowledge& no_knowledge() {
  static const Knowledge none;
  return none;
}

void Knowledge::add_features(std::vector<std::string> names, std::function<void(ConfigIndex, std::span<double>)> fill) {
  const std::size_t before = feature_names.size();
  feature_names.insert(feature_names.end(), names.begin(), names.end());
  if (!features) {
    features = std::move(fill);
    return;
  }
  features = [before, first = std::move(features), second = std::move(fill)](ConfigIndex i, std::span<double> out) {
    first(i, out.first(before));
    second(i, out.subspan(before));
  };
}

Result<KnowledgeParts> parse_knowledge(std::string_view text) {
  if (text == "all") return KnowledgeParts{};
  KnowledgeParts parts = kNothingKnown;
  if (text == "none") return parts;
  for (const std::string_view word : split(text, ',')) {
    bool known = false;
    for (const auto& [name, part] : kParts)
      if (word == name) known = parts.*part = true;
    if (!known)
      return fail(ErrorKind::bad_input,
                  "unknown knowledge " + quote(word) +
                      "; write a list of features, prior, hints and counters, or nothing but all or none");
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
