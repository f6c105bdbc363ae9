// Measures the roofs of the current device: bandwidth of DRAM, L2 and shared memory, rates of arithmetic and tensor
// cores. Uses the same timer as for candidates, so that their shares of a roof are meaningful. Does not depend on
// kernel templates.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "profiler/device_timer.h"

#include <string>
#include <vector>

namespace warptune {

struct RoofTrial {
  std::string what; // kernel and launch shape
  double rate = 0;  // in its roof's unit
  double us = 0, sm_clock_mhz = 0;
};

struct MeasuredRoofs {
  Roofs roofs; // each roof's best rate over all runs, with the clock at which it was reached
  std::vector<RoofTrial> trials;
};

// Returns the bytes of memory that the DRAM probes use: at most 1 GiB and half of the free memory, but at least 64 MiB,
// because a smaller buffer would fit in the L2.
std::size_t probe_bytes(std::size_t free_bytes);

// Takes about a second, and another second for compiling. Uses probe_bytes of device memory. `arch` decides whether
// wgmma is available.
Result<MeasuredRoofs> measure_roofs(const Driver& driver, const CubinProvider& provider, const DeviceInfo& device,
                                    DeviceTimer& timer, CUstream stream);

} // namespace warptune
