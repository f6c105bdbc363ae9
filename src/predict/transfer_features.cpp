#include "predict/transfer_features.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

TransferFeatures::TransferFeatures(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device)
    : time_(spec, problem, device), sms_(static_cast<double>(device.limits.sm_count)) {}

double TransferFeatures::expected_log_time(const Config& config) const {
  return std::log(kFixedUs + std::exp(time_.expected_log_time(config)));
}

void TransferFeatures::fill(const Config& config, double expected_log_slowdown, std::span<float> row) const {
  const PlanFeatures& features = time_.features();
  std::vector<double> values(features.names().size());
  features.fill(config, values);
  const auto figures = features.figures(config);
  values.push_back(figures ? unevenness(figures->blocks, sms_) : 0);
  values.push_back(expected_log_slowdown);
  std::transform(values.begin(), values.end(), row.begin(),
                 [](double value) { return std::isfinite(value) ? static_cast<float>(value) : 0.0F; });
}

} // namespace warptune
