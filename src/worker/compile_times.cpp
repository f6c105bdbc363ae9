#include "worker/compile_times.h"

#include <algorithm>
#include <cmath>

namespace warptune {

void CompileTimes::add(const Config& config, double ms) {
  const double log = std::log(std::max(ms, 1e-3));
  const auto put = [log](Sum& sum) {
    sum.logs += log;
    ++sum.count;
  };
  put(all_);
  total_ms_ += ms;
  for (std::size_t i = 0; i < config.size(); ++i) put(by_value_[{i, config[i]}]);
}

double CompileTimes::mean_ms() const { return all_.count > 0 ? total_ms_ / all_.count : 0; }

double CompileTimes::expected_ms(const Config& config) const {
  if (all_.count == 0) return 0;
  double log = all_.mean();
  for (std::size_t i = 0; i < config.size(); ++i)
    if (const auto found = by_value_.find({i, config[i]}); found != by_value_.end())
      log += found->second.mean() - all_.mean();
  return std::exp(log);
}

} // namespace warptune
