// Measures the roofs of the current device: the bandwidth of DRAM, L2 and shared memory, and the rates of arithmetic
// and tensor cores. Uses the same timer as for candidates, so that a candidate's share of a roof is meaningful. Does
// not use kernel templates.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "profiler/device_timer.h"

#include <string>
#include <vector>

namespace warptune {

struct RoofTrial {
  std::string what; // the kernel and its launch shape
  double rate = 0;  // in the unit of the roof
  double us = 0, sm_clock_mhz = 0;
};

struct MeasuredRoofs {
  Roofs roofs; // the best rate for each roof, with the clock at which it was reached
  std::vector<RoofTrial> trials;
};

// Returns how many bytes of memory the DRAM probes use: at most 1 GiB and half of the free memory, but at least 64 MiB,
// because less would fit in the L2.
std::size_t probe_bytes(std::size_t free_bytes);

// Takes about a second, and another second for compiling. Uses probe_bytes() bytes of device memory. device.arch
// decides whether wgmma is available.
Result<MeasuredRoofs> measure_roofs(const Driver& driver, const CubinProvider& provider, const DeviceInfo& device,
                                    DeviceTimer& timer, CUstream stream);

} // namespace warptune
