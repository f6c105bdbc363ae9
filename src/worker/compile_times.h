// CompileTimes: how long a configuration will probably compile, from those that were compiled already: each value of
// each param makes it longer or shorter by a factor of its own. Good enough to begin with the long ones, so that not
// all compilers wait for the last. Pure.
#pragma once

#include "space/space.h"

#include <map>
#include <utility>

namespace warptune {

class CompileTimes {
 public:
  void add(const Config& config, double ms);
  double mean_ms() const; // 0 while nothing is known
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
