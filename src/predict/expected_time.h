// The expected time of a configuration. It is computed by the implementation's formula (`expected_us` in the spec) or,
// if there is no formula, from the roofline (predict/roofline.h). The roofline's rates are reduced for too little work
// in flight, uneven waves and narrow tiles. The traffic includes workspaces. A buffer counts once per launch that
// receives it. The starts of blocks, and launches after the first, add to the time. Without any measurement, the result
// ranks configurations well, but it is only a rough forecast in us. Pure.
#pragma once

#include "plan/plan.h"
#include "predict/plan_features.h"

#include <optional>

namespace warptune {

// Returns the time in us. nullopt if the launch cannot run, or if neither the DRAM's rate nor the rate of a pipe in
// `cost` is known.
std::optional<double> expected_us(const PlanFigures& figures, const CostEstimate& cost, const DeviceInfo& device);

// Estimates the times of all configurations of one problem on one device. Spec and problem must outlive the model.
class TimeModel {
 public:
  TimeModel(const KernelSpec& spec, const Problem& problem, DeviceInfo device);
  TimeModel(const TimeModel&) = delete;
  TimeModel& operator=(const TimeModel&) = delete;

  const PlanFeatures& features() const { return features_; }
  bool knows_times() const { return floor_us_ > 0; } // whether the roofline is known
  bool is_by_author(const Config& config) const;     // whether the implementation's `expected_us` gives a value
  // Returns the natural logarithm of the expected time in us; NaN if there is no estimate. Uses the author's formula if
  // it gives a value, otherwise the roofline.
  double expected_log_time(const Config& config) const;
  // Returns the natural logarithm of expected time over the roofline's lower bound; NaN if there is no estimate.
  double expected_log_slowdown(const Config& config) const;

 private:
  std::optional<double> authors_us(const Config& config) const;

  const KernelSpec& spec_;
  DeviceInfo device_;
  PlanFeatures features_; // refers to device_
  CostEstimate cost_;
  double floor_us_ = 0;
};

} // namespace warptune
