// Strategy: proposes which configurations to try next, from the observations. Ask/tell; deterministic by seed; never
// proposes an index twice. Knows the space, observations and the setup: no device, no database, no clock. Each file in
// search/strategies/ is one strategy, and the build registers it (docs/search-strategies.md).
#pragma once

#include "search/knowledge.h"
#include "space/space.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct Observation {
  ConfigIndex index;
  bool ok;
  double time_us;                                              // meaningful only if ok
  double energy_mj = std::numeric_limits<double>::quiet_NaN(); // of one launch; NaN: not measured
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // At most `count` new indices. Fewer if the space is exhausted or the strategy waits for observations. An empty
  // result with nothing in flight means that the strategy is done.
  virtual std::vector<ConfigIndex> propose(std::size_t count) = 0;
  // Takes any configuration of the space, also one that the strategy did not propose; the strategy then never proposes
  // it.
  virtual void observe(const Observation& observation) = 0;
  // Whether observations change its proposals. If not, the caller may ask for proposals ahead of a slow candidate's
  // result.
  virtual bool learns() const { return true; }
  // The expected decrease of the best time, as a share of it, from the most promising configuration not yet proposed.
  // nullopt if the strategy has no model, or no model yet.
  virtual std::optional<double> expected_improvement() const { return std::nullopt; }
};

// A numeric option of a strategy ("genetic:population=30"). Choices are numbered, and `meaning` names them.
struct StrategyOption {
  std::string_view name, meaning;
  double default_value, min, max;
  bool whole = false; // only whole numbers
};

using OptionValues = std::map<std::string, double, std::less<>>;

struct StrategySetup {
  const SearchSpace& space;
  std::uint64_t seed;
  OptionValues options;       // every option of the strategy, checked
  const Knowledge& knowledge; // may be empty
};

struct StrategyEntry {
  std::string_view name, summary;
  std::vector<StrategyOption> options;
  std::unique_ptr<Strategy> (*make)(const StrategySetup&);
};

// By name. The default strategy for a budget that does not cover the space is kDefaultStrategy.
const std::vector<StrategyEntry>& strategies();
inline constexpr std::string_view kDefaultStrategy = "portfolio";

Result<const StrategyEntry*> find_strategy(std::string_view name); // error: unknown name, with the nearest one

// A strategy with its non-default options, as a text and in the database: "genetic:population=30".
struct StrategyChoice {
  std::string name;
  OptionValues options;
};
Result<StrategyChoice> parse_strategy(std::string_view text); // errors: those of make_strategy
std::string strategy_text(const StrategyChoice& choice);      // options sorted by name; parse_strategy reads it back
// Several, separated by commas, each once: "random,genetic:population=30,crossover=0.8"; "all": every strategy with its
// defaults.
Result<std::vector<StrategyChoice>> parse_strategies(std::string_view text);

// Options left out have their defaults. Errors (bad_input): an unknown name or option, with the nearest one; a value
// outside its range. The space and the knowledge must outlive the strategy.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const SearchSpace& space, std::uint64_t seed,
                                                const OptionValues& options = {},
                                                const Knowledge& knowledge = no_knowledge());

} // namespace warptune
