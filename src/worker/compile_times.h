// CompileTimes: estimates how long a configuration takes to compile, from the times of configurations already compiled.
// In its model, each value of a param multiplies the time by its own factor. This model is accurate enough to start
// long compilations early, so that no long compilation remains at the end. Pure.
#pragma once

#include "space/space.h"

#include <map>
#include <utility>

namespace warptune {

class CompileTimes {
 public:
  void add(const Config& config, double ms);
  double mean_ms() const; // 0 if there are no times
  double expected_ms(const Config& config) const;

 private:
  struct Sum {
    double logs = 0;
    int count = 0;
    double mean() const { return count > 0 ? logs / count : 0; }
  };
  Sum all_;
  double total_ms_ = 0;
  std::map<std::pair<std::size_t, std::int64_t>, Sum> by_value_; // (param, value) -> sum
};

} // namespace warptune
