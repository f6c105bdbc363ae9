#include "starter/facts.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

std::string quoted_for_a_shell(const std::string& text) {
  return text.find_first_of(" ()*<>|&;'\"") == std::string::npos ? text : "\"" + text + "\"";
}

} // namespace

std::string MissingFact::text() const {
  return fmt::format("{} {}", option, quoted_for_a_shell(name.empty() ? example : name + "=" + example));
}

Result<void> answer(const MissingFact& fact, const std::string& text, StarterFacts& facts) {
  const std::array<std::pair<const char*, Entries*>, 5> entries = {{{"--dims", &facts.dims},
                                                                    {"--buffer", &facts.buffers},
                                                                    {"--scalar", &facts.scalars},
                                                                    {"--values", &facts.values},
                                                                    {"--type", &facts.types}}};
  for (const auto& [option, list] : entries)
    if (fact.option == option) return add_entries(option, fact.name.empty() ? text : fact.name + "=" + text, *list);
  if (fact.option == "--grid") facts.grid = split_list(text);
  if (fact.option == "--block") facts.block = split_list(text);
  if (fact.option == "--kernel") facts.kernel = text;
  return {};
}

} // namespace warptune
