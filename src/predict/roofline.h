// The roofline's lower bound of a kernel's time (Williams et al. 2009): bytes divided by bandwidth, or operations
// divided by the rate of their pipe, whichever is larger.
#pragma once

#include "core/device.h"
#include "plan/plan.h"

namespace warptune {

struct RooflinePoint {
  double floor_us = 0;        // the lower bound; 0 if the roofs are not known
  double share = 0;           // lower bound divided by measured time
  std::string bound;          // what sets the lower bound: "DRAM", or a pipe's name
  double gbs = 0, tflops = 0; // achieved
  double intensity = 0;       // flop per byte
};

RooflinePoint roofline_point(const CostEstimate& cost, const Roofs& roofs, double time_us);

} // namespace warptune
