// Strategy: proposes which configurations to try next, from what was observed. Ask/tell; deterministic by seed; never
// proposes an index twice. Knows the space and observations only: no device, no database, no clock.
#pragma once

#include "core/space.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warptune {

struct Observation {
  ConfigIndex index;
  bool ok;
  double time_us;
}; // time is meaningful only when ok

class Strategy {
 public:
  virtual ~Strategy() = default;
  // At most `count` new indices; fewer when the space is exhausted or the strategy waits for observations; empty with
  // nothing in flight means that it is done.
  virtual std::vector<ConfigIndex> propose(std::size_t count) = 0;
  virtual void observe(const Observation& observation) = 0;
  // Whether observations change what it proposes. Whoever asks one that does not may run ahead of a slow candidate.
  virtual bool learns() const { return true; }
};

struct StrategyInfo {
  std::string name, summary;
};
std::vector<StrategyInfo> strategies();
// Error: unknown name, with the nearest one. The space must outlive the strategy.
Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name, const SearchSpace& space, std::uint64_t seed);

} // namespace warptune
