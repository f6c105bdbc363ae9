// Strategy: proposes which configurations to try next, based on its observations (an ask/tell interface). With the same
// seed and observations it makes the same proposals, and it never proposes an index twice. It depends on the space, the
// observations and the setup, but not on a device, a database or a clock. Each file in search/strategies/ is one
// strategy, which the build registers (docs/search-strategies.md).
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
  double time_us;                                              // valid only if ok
  double energy_mj = std::numeric_limits<double>::quiet_NaN(); // energy of one launch; NaN: not measured
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Returns at most `count` new indices. There are fewer if the space is exhausted or the strategy waits for
  // observations. If all proposals were observed, an empty result means that the strategy is done.
  virtual std::vector<ConfigIndex> propose(std::size_t count) = 0;
  // Accepts any configuration of the space, even one that the strategy did not propose. The strategy never proposes
  // such a configuration afterwards.
  virtual void observe(const Observation& observation) = 0;
  // Whether observations affect proposals. If they do not, the caller may ask for further proposals before the results
  // of slow candidates are known.
  virtual bool learns() const { return true; }
  // Returns the fraction by which the most promising unproposed configuration is expected to reduce the best time.
  // nullopt if the strategy has no model, or none yet.
  virtual std::optional<double> expected_improvement() const { return std::nullopt; }
};

// An option of a strategy ("genetic:population=30"). All values are numbers; for a choice, `meaning` says what each
// number stands for.
struct StrategyOption {
  std::string_view name, meaning;
  double default_value, min, max;
  bool whole = false; // whether the value must be an integer
};

using OptionValues = std::map<std::string, double, std::less<>>;

struct StrategySetup {
  const SearchSpace& space;
  std::uint64_t seed;
  OptionValues options;       // a checked value for every option
  const Knowledge& knowledge; // may be empty
};

struct StrategyEntry {
  std::string_view name, summary;
  std::vector<StrategyOption> options;
  std::unique_ptr<Strategy> (*make)(const StrategySetup&);
};

// Sorted by name. kDefaultStrategy is used if none is given and the budget does not cover the space.
const std::vector<StrategyEntry>& strategies();
inline constexpr std::string_view kDefaultStrategy = "portfolio";

Result<const StrategyEntry*> find_strategy(std::string_view name); // error: an unknown name, with the nearest one

// A strategy with its non-default options. Its text, such as "genetic:population=30", is also stored in databases.
struct StrategyChoice {
  std::string name;
  OptionValues options;
};
Result<StrategyChoice> parse_strategy(std::string_view text); // errors as for make_strategy
std::string strategy_text(const StrategyChoice& choice); // options are sorted by name; parse_strategy reads the text
// Parses distinct strategies, separated by commas: "random,genetic:population=30,crossover=0.8". "all" means every
// strategy with its defaults.
Result<std::vector<StrategyChoice>> parse_strategies(std::string_view text);

// Options that are not given have their defaults. Errors (bad_input): an unknown name or option, with the nearest one;
// a value out of range. The space and the knowledge must outlive the strategy.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const SearchSpace& space, std::uint64_t seed,
                                                const OptionValues& options = {},
                                                const Knowledge& knowledge = no_knowledge());

} // namespace warptune
