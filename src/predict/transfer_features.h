// What a configuration makes of the launches of one problem, in numbers that mean the same on every shape: the figures
// of the launch that is given the caller's data (predict/plan_features.h), how unevenly its blocks fall on the
// multiprocessors, and the expected time (predict/expected_time.h). Pure; knows no measured time.
#pragma once

#include "predict/expected_time.h"

#include <span>
#include <vector>

namespace warptune {

class TransferFeatures {
 public:
  // Spec and problem must outlive it.
  TransferFeatures(const KernelSpec& spec, const Problem& problem, DeviceInfo device);
  TransferFeatures(const TransferFeatures&) = delete;
  TransferFeatures& operator=(const TransferFeatures&) = delete;

  std::size_t width() const { return features_.names().size() + 2; }
  double expected_log_time(const Config& config) const; // natural, of us; NaN where nothing is expected
  // width() values; what cannot be computed is 0. `expected_log_slowdown`: the expected log time above the least of the
  // problem.
  void fill(const Config& config, double expected_log_slowdown, std::span<float> row) const;

 private:
  DeviceInfo device_;
  PlanFeatures features_; // refers to device_
  CostEstimate cost_;
};

} // namespace warptune
