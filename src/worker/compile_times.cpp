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
  if (params_.size() < config.size()) params_.resize(config.size());
  for (std::size_t i = 0; i < config.size(); ++i) {
    std::vector<Value>& values = params_[i];
    auto found = std::ranges::find(values, config[i], &Value::value);
    if (found == values.end()) found = values.insert(found, {config[i], {}});
    put(found->sum);
  }
}

double CompileTimes::mean_ms() const { return all_.count > 0 ? total_ms_ / all_.count : 0; }

double CompileTimes::expected_ms(const Config& config) const {
  if (all_.count == 0) return 0;
  double log = all_.mean();
  for (std::size_t i = 0; i < std::min(config.size(), params_.size()); ++i)
    if (const auto found = std::ranges::find(params_[i], config[i], &Value::value); found != params_[i].end())
      log += found->sum.mean() - all_.mean();
  return std::exp(log);
}

} // namespace warptune
