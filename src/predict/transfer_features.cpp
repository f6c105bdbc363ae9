#include "predict/transfer_features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warptune {
namespace {

// Fixed cost of a launch. With 2 to 5 us, the choices on recorded sweeps are the same.
constexpr double kFixedUs = 3;

// Log2 of the blocks on the busiest multiprocessor relative to the average.
double unevenness(double blocks, double sms) {
  if (!(blocks > 0) || !(sms > 0)) return 0;
  return std::log2(std::ceil(blocks / sms) * sms / blocks);
}

} // namespace

TransferFeatures::TransferFeatures(const KernelSpec& spec, const Problem& problem, DeviceInfo device)
    : device_(std::move(device)), features_(spec, problem, device_) {
  if (auto cost = estimate_cost(spec, problem, device_)) cost_ = std::move(*cost);
}

double TransferFeatures::expected_log_time(const Config& config) const {
  const auto figures = features_.figures(config);
  const auto us = figures ? expected_us(*figures, cost_, device_) : std::nullopt;
  return us ? std::log(kFixedUs + *us) : std::numeric_limits<double>::quiet_NaN();
}

void TransferFeatures::fill(const Config& config, double expected_log_slowdown, std::span<float> row) const {
  std::vector<double> values(features_.names().size());
  features_.fill(config, values);
  const auto figures = features_.figures(config);
  values.push_back(figures ? unevenness(figures->blocks, static_cast<double>(device_.limits.sm_count)) : 0);
  values.push_back(expected_log_slowdown);
  std::transform(values.begin(), values.end(), row.begin(),
                 [](double value) { return std::isfinite(value) ? static_cast<float>(value) : 0.0F; });
}

} // namespace warptune
