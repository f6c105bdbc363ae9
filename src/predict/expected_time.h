// The time that a configuration should take: by the formula of its implementation (`expected_us` of the spec), or,
// where there is none, by what a device can do at best and what the launch leaves of it: a roofline
// (predict/roofline.h) lowered by too little in flight, by uneven waves, by narrow tiles and by what passes through a
// workspace. It ranks configurations before any is measured; as a forecast in us it is rough. Pure.
#pragma once

#include "plan/plan.h"
#include "predict/plan_features.h"

#include <optional>

namespace warptune {

// In us. Nothing when neither bandwidth nor the rate of a pipe that the cost names is known, or the launch cannot run.
std::optional<double> expected_us(const PlanFigures& figures, const CostEstimate& cost, const DeviceInfo& device);

// The same for the configurations of one problem on one device. Spec and problem must outlive it.
class TimeModel {
 public:
  TimeModel(const KernelSpec& spec, const Problem& problem, DeviceInfo device);
  TimeModel(const TimeModel&) = delete;
  TimeModel& operator=(const TimeModel&) = delete;

  bool knows_times() const { return floor_us_ > 0; } // the roofline is known
  bool is_by_author(const Config& config) const;     // its implementation has `expected_us`, and that has a value
  // Natural, of us; NaN where nothing is expected. What the implementation's author expects goes before the roofline.
  double expected_log_time(const Config& config) const;
  // Above the roofline's floor: how far the configuration should stay behind what the device allows. NaN as above.
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
