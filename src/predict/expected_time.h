// The expected time of a configuration: the formula of its implementation (`expected_us` of the spec) or, without a
// formula, a roofline (predict/roofline.h). The roofline is lowered for too little work in flight, uneven waves, narrow
// tiles and traffic through a workspace. It is good enough to rank configurations before any is measured, but only a
// rough forecast in us. Pure.
#pragma once

#include "plan/plan.h"
#include "predict/plan_features.h"

#include <optional>

namespace warptune {

// Returns the time in us. nullopt if neither the bandwidth nor the rate of a pipe that the cost names is known, or the
// launch cannot run.
std::optional<double> expected_us(const PlanFigures& figures, const CostEstimate& cost, const DeviceInfo& device);

// Estimates the times of all configurations of one problem on one device. Spec and problem must outlive it.
class TimeModel {
 public:
  TimeModel(const KernelSpec& spec, const Problem& problem, DeviceInfo device);
  TimeModel(const TimeModel&) = delete;
  TimeModel& operator=(const TimeModel&) = delete;

  bool knows_times() const { return floor_us_ > 0; } // whether the roofline is known
  bool is_by_author(const Config& config) const;     // whether its implementation's `expected_us` has a value
  // Returns the natural logarithm of the expected time in us; NaN if there is no estimate. The author's formula takes
  // precedence over the roofline.
  double expected_log_time(const Config& config) const;
  // Returns the expected log slowdown of the configuration against the roofline's floor; NaN if there is no estimate.
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
