// CompileTimes: estimates how long a configuration will compile, from those already compiled: each value of a param
// multiplies the time by its own factor. This is accurate enough to start long compilations first, so that none is left
// over at the end. Pure.
#pragma once

#include "space/space.h"

#include <map>
#include <utility>

namespace warptune {

class CompileTimes {
 public:
  void add(const Config& config, double ms);
  double mean_ms() const; // 0 without any times
  double expected_ms(const Config& config) const;

 private:
  struct Sum {
    double logs = 0;
    int count = 0;
    double mean() const { return count > 0 ? logs / count : 0; }
  };
  Sum all_;
  double total_ms_ = 0;
  std::map<std::pair<std::size_t, std::int64_t>, Sum> by_value_; // param, value
};

} // namespace warptune
