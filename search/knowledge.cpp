#include "search/knowledge.h"

#include "core/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

constexpr std::array<std::pair<const char*, bool KnowledgeParts::*>, 2> kParts{
    {{"prior", &KnowledgeParts::prior}, {"hints", &KnowledgeParts::hints}}};
// The former parts, which came before and after the current ones.
constexpr std::array<std::string_view, 2> kFormerParts{"features", "counters"};

bool is_former(std::string_view word) {
  return std::find(kFormerParts.begin(), kFormerParts.end(), word) != kFormerParts.end();
}

} // namespace

const Knowledge& no_knowledge() {
  static const Knowledge none;
  return none;
}

Result<KnowledgeParts> parse_knowledge(std::string_view text) {
  if (text == "all") return KnowledgeParts{};
  KnowledgeParts parts = kNothingKnown;
  if (text == "none") return parts;
  for (const std::string_view word : split(text, ',')) {
    bool known = is_former(word);
    for (const auto& [name, part] : kParts)
      if (word == name) known = parts.*part = true;
    if (word == "all" || word == "none")
      return fail(
          ErrorKind::bad_input,
          fmt::format("{} cannot be combined with other knowledge, as in {}; write prior, hints, all (both) or none",
                      quote(word), quote(text)));
    if (!known)
      return fail(ErrorKind::bad_input,
                  "unknown knowledge " + quote(word) + "; write prior, hints, all (both) or none");
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

std::string former_knowledge_note(std::string_view text) {
  const auto words = split(text, ',');
  if (std::none_of(words.begin(), words.end(), is_former)) return {};
  return "the parts `features` and `counters` of knowledge no longer exist and are ignored; use `prior` and `hints` "
         "(docs/knowledge.md)";
}

std::vector<std::string> former_knowledge_texts(const KnowledgeParts& parts) {
  const std::string today = knowledge_text(parts);
  std::vector<std::string> texts;
  for (const unsigned former : {3U, 1U, 2U, 0U}) { // bit 0: features, bit 1: counters
    std::vector<std::string> words;
    if ((former & 1U) != 0) words.emplace_back(kFormerParts[0]);
    for (const auto& [name, part] : kParts)
      if (parts.*part) words.emplace_back(name);
    if ((former & 2U) != 0) words.emplace_back(kFormerParts[1]);
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
    const bool was_all = parts == KnowledgeParts{} && former == 3;
    if (!text.empty() && !was_all && text != today) texts.push_back(std::move(text));
  }
  return texts;
}

} // namespace warptune
