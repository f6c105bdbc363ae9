#include "replay/island_replay.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <vector>

namespace warptune {
namespace {

using Islands = std::vector<std::unique_ptr<Strategy>>;

Observation observed(const RecordedSpace& space, ConfigIndex index) {
  const RecordedOutcome& recorded = space.at(index);
  if (recorded.status != TrialStatus::ok) return {index, false, kNotRecorded};
  return {index, true, recorded.time_ms * 1e3, space.energy_mj(index)};
}

// Of all islands: they know the same, so they must propose the same.
Result<std::vector<ConfigIndex>> propose(const Islands& islands, std::size_t count, const RecordedSpace& space) {
  std::vector<ConfigIndex> proposals = islands.front()->propose(count);
  for (const ConfigIndex index : proposals)
    if (index < 0 || index >= space.space.size())
      return fail(ErrorKind::internal, "a strategy proposed a configuration that does not exist");
  for (std::size_t i = 1; i < islands.size(); ++i)
    if (islands[i]->propose(count) != proposals)
      return fail(ErrorKind::internal, fmt::format("island {} proposes other configurations than the first", i));
  return proposals;
}

} // namespace

Result<ReplayRun> replay_islands(const RecordedSpace& space, const StrategyChoice& strategy, std::uint64_t seed,
                                 const IslandOptions& options) {
  ReplayRun out;
  out.trace = {space.name, strategy_text(strategy), seed, {}, 0, options.budget};
  Islands islands;
  for (int i = 0; i < options.islands; ++i) {
    WT_TRY(auto made, make_strategy(strategy.name, space.space, seed, strategy.options));
    islands.push_back(std::move(made));
  }
  double best_ms = std::numeric_limits<double>::infinity();
  while (out.evaluations < options.budget) {
    const std::int64_t round = std::min(options.islands * options.interval, options.budget - out.evaluations);
    WT_TRY(const auto proposals, propose(islands, static_cast<std::size_t>(round), space));
    if (proposals.empty()) break;
    // Island i evaluates the proposals i, i + islands, ...; here only their results matter.
    std::vector<Observation> results;
    for (const ConfigIndex index : proposals) {
      results.push_back(observed(space, index));
      ++out.evaluations;
      if (!results.back().ok || !(space.at(index).time_ms < best_ms)) continue;
      best_ms = space.at(index).time_ms;
      out.trace.improvements.push_back({out.evaluations, best_ms, kNotRecorded});
    }
    for (const auto& island : islands)
      for (const Observation& result : results) island->observe(result);
  }
  return out;
}

} // namespace warptune
