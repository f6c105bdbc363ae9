// CompileTimes: estimates how long a configuration takes to compile, from the times of configurations already compiled.
// In its model, each value of a param multiplies the time by its own factor. This model is accurate enough to start
// long compilations early, so that no long compilation remains at the end. Pure.
#pragma once

#include "space/space.h"

#include <cstdint>
#include <vector>

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
  struct Value {
    std::int64_t value;
    Sum sum;
  };
  std::vector<std::vector<Value>> params_; // the values of each param so far: few, so they are searched one by one
};

} // namespace warptune
