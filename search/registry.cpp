#include "core/text.h"
#include "search/strategies.h"

#include <array>

namespace warptune {
namespace {

struct Entry {
  const char* name;
  const char* summary;
  std::unique_ptr<Strategy> (*make)(const SearchSpace&, std::uint64_t);
};

constexpr std::array kEntries = {
    Entry{"exhaustive", "every valid configuration, in order", make_exhaustive},
    Entry{"random", "uniform without replacement, reproducible by --seed", make_random},
};

} // namespace

std::vector<StrategyInfo> strategies() {
  std::vector<StrategyInfo> out;
  out.reserve(kEntries.size());
  for (const Entry& entry : kEntries) out.push_back({entry.name, entry.summary});
  return out;
}

Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name, const SearchSpace& space, std::uint64_t seed) {
  std::vector<std::string> known;
  for (const Entry& entry : kEntries) {
    if (name == entry.name) return entry.make(space, seed);
    known.emplace_back(entry.name);
  }
  return fail(ErrorKind::bad_input, "unknown strategy " + quote(name) + suggest_name(name, known));
}

} // namespace warptune
