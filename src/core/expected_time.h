// The time that a configuration should take by what a device can do at best and what the launch leaves of it: a
// roofline (core/roofline.h) lowered by too little in flight, by uneven waves, by narrow tiles and by what passes
// through a workspace. It ranks configurations before any is measured; as a forecast in us it is rough. Pure.
#pragma once

#include "core/plan.h"
#include "core/plan_features.h"

namespace warptune {

// In us. Nothing when neither bandwidth nor the rate of a pipe that the cost names is known, or the launch cannot run.
std::optional<double> expected_us(const PlanFigures& figures, const CostEstimate& cost, const DeviceInfo& device);

} // namespace warptune
