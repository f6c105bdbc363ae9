// Strategy: proposes which configurations to try next, from what was observed. Ask/tell; deterministic by seed; never
// proposes an index twice. Knows the space, observations and what the setup tells it: no device, no database, no clock.
// One file in search/strategies/ is one strategy; it is registered by lying there (docs/search-strategies.md).
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
  double time_us;                                              // meaningful only when ok
  double energy_mj = std::numeric_limits<double>::quiet_NaN(); // of one launch; NaN: not measured
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // At most `count` new indices; fewer when the space is exhausted or the strategy waits for observations; empty with
  // nothing in flight means that it is done.
  virtual std::vector<ConfigIndex> propose(std::size_t count) = 0;
  // Of any configuration of the space, also of one that the strategy did not propose; it then never proposes it.
  virtual void observe(const Observation& observation) = 0;
  // Whether observations change what it proposes. Whoever asks one that does not may run ahead of a slow candidate.
  virtual bool learns() const { return true; }
  // By how much the best time is expected to fall, as a share of it, with the most promising configuration not yet
  // proposed. Nothing when the strategy has no model, or no model yet.
  virtual std::optional<double> expected_improvement() const { return std::nullopt; }
};

// A number that a strategy may be given ("genetic:population=30"). Choices are numbered, and `meaning` names them.
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

Result<const StrategyEntry*> find_strategy(std::string_view name); // error: unknown, with the nearest one

// A strategy with the options that are not at their defaults, as a text and in the database: "genetic:population=30".
struct StrategyChoice {
  std::string name;
  OptionValues options;
};
Result<StrategyChoice> parse_strategy(std::string_view text); // errors as of make_strategy
std::string strategy_text(const StrategyChoice& choice);      // options by name; read back as the same choice
// Several with commas, each once: "random,genetic:population=30,crossover=0.8"; "all": every strategy, as it is.
Result<std::vector<StrategyChoice>> parse_strategies(std::string_view text);

// Options left out have their defaults. Errors (bad_input): an unknown name or option, with the nearest one; a value
// out of its range. The space and the knowledge must outlive the strategy.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const SearchSpace& space, std::uint64_t seed,
                                                const OptionValues& options = {},
                                                const Knowledge& knowledge = no_knowledge());

} // namespace warptune
