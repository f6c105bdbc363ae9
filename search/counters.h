// What hardware counters of earlier sessions say of the configurations of this space (search/knowledge.h). Pure:
// whoever has a database reads the counters (tuner/gather_knowledge.h).
#pragma once

#include "predict/counted_demand.h"
#include "space/space.h"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace warptune {

// The counted configurations of a problem of the same kernel: maybe of another shape, on another device.
struct CountedElsewhere {
  double likeness = 0; // of there and here (search/hints.h)
  struct Counted {
    std::string config; // as in the database
    CountedDemand demand;
  };
  std::vector<Counted> counted;
};

class CounterFeatures {
 public:
  // Of several sources of a configuration the one that is most alike counts. What is not valid here is left out.
  CounterFeatures(const KernelSpec& spec, const SearchSpace& space, const CostEstimate& cost, const DeviceInfo& device,
                  const std::vector<CountedElsewhere>& elsewhere);

  bool empty() const { return rows_.empty(); }
  std::size_t counted() const { return rows_.size(); } // configurations
  static const std::vector<std::string>& names();
  // Per unit and of the slowest of all: log2 of 1 + its time over the floor of the problem; then the achieved
  // occupancy. names().size() values; NaN: not counted.
  void fill(ConfigIndex index, std::span<double> out) const;

 private:
  struct Row {
    UnitTimes times;
    double warps_active;
  };
  double floor_us_;
  std::unordered_map<ConfigIndex, Row> rows_;
};

} // namespace warptune
