// Strategy: proposes which configurations to try next, from the observations. Its interface is ask/tell. It is
// deterministic for a given seed, and never proposes an index twice. Depends only on the space, the observations and
// the setup, not on a device, a database or a clock. Each file in search/strategies/ is one strategy, and the build
// registers it (docs/search-strategies.md).
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
  double energy_mj = std::numeric_limits<double>::quiet_NaN(); // energy of one launch; NaN: not measured
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Returns at most `count` new indices, and fewer if the space is exhausted or the strategy waits for observations. An
  // empty result means that the strategy is done, if it has observed all its proposals.
  virtual std::vector<ConfigIndex> propose(std::size_t count) = 0;
  // Accepts any configuration of the space, even one that the strategy did not propose; the strategy never proposes it
  // later.
  virtual void observe(const Observation& observation) = 0;
  // Whether observations change its proposals. If not, the caller may request proposals before a slow candidate's
  // result is known.
  virtual bool learns() const { return true; }
  // The expected relative decrease of the best time by the most promising unproposed configuration. nullopt if the
  // strategy has no model, or no model yet.
  virtual std::optional<double> expected_improvement() const { return std::nullopt; }
};

// A numeric option of a strategy ("genetic:population=30"). The values of a choice are numbers too; `meaning` says what
// each of them stands for.
struct StrategyOption {
  std::string_view name, meaning;
  double default_value, min, max;
  bool whole = false; // whether only integers are valid
};

using OptionValues = std::map<std::string, double, std::less<>>;

struct StrategySetup {
  const SearchSpace& space;
  std::uint64_t seed;
  OptionValues options;       // a checked value for every option of the strategy
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

// A strategy with its non-default options, as a string and in the database: "genetic:population=30".
struct StrategyChoice {
  std::string name;
  OptionValues options;
};
Result<StrategyChoice> parse_strategy(std::string_view text); // errors: those of make_strategy
std::string strategy_text(const StrategyChoice& choice);      // its options are sorted by name; parse_strategy reads it
// Parses several strategies, separated by commas, each once: "random,genetic:population=30,crossover=0.8"; "all": every
// strategy with its defaults.
Result<std::vector<StrategyChoice>> parse_strategies(std::string_view text);

// Omitted options have their defaults. Errors (bad_input): an unknown name or option, with the nearest one; a value
// outside its range. The space and the knowledge must outlive the strategy.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const SearchSpace& space, std::uint64_t seed,
                                                const OptionValues& options = {},
                                                const Knowledge& knowledge = no_knowledge());

} // namespace warptune
