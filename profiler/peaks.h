// The ceilings of the device at hand, measured: DRAM bandwidth and arithmetic peaks, with the same timer as every
// candidate, so that a share of a ceiling compares like with like. Knows no templates.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "profiler/device_timer.h"

#include <string>
#include <vector>

namespace warptune {

struct PeakTrial {
  std::string what;
  double rate = 0;
  double us = 0;
}; // GB/s or TFLOP/s

struct Peaks {
  Roofs roofs;
  std::vector<PeakTrial> trials;
};

// About a second. Works in up to 1 GiB of device memory, less where less is free. `arch` decides whether wgmma is
// there.
Result<Peaks> measure_peaks(const Driver& driver, const CubinProvider& provider, const DeviceInfo& device,
                            DeviceTimer& timer, CUstream stream);

} // namespace warptune
