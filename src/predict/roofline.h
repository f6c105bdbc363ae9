// The lower bound of a kernel's time: bytes over bandwidth or operations over the rate of their pipe, whichever is
// larger (Williams et al. 2009).
#pragma once

#include "core/device.h"
#include "plan/plan.h"

namespace warptune {

struct RooflinePoint {
  double floor_us = 0;        // shortest time that the device's roofs allow; 0 if the roofs are not known
  double share = 0;           // floor divided by measured time
  std::string bound;          // "DRAM" or the pipe's name
  double gbs = 0, tflops = 0; // achieved
  double intensity = 0;       // flop per byte
};

RooflinePoint roofline_point(const CostEstimate& cost, const Roofs& roofs, double time_us);

} // namespace warptune
