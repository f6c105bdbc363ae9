// The roofs of the device at hand, measured: bandwidth of DRAM, L2 and shared memory, rates of arithmetic and tensor
// cores, with the same timer as every candidate, so that a share of a roof compares like with like. Knows no templates.
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
  Roofs roofs; // the best of the trials, each with the clock it was reached at
  std::vector<RoofTrial> trials;
};

// What the probes of the memory take of it: 1 GiB, or less, so that half of what is free stays free; at least 64 MiB,
// or the L2 would hold it.
std::size_t probe_bytes(std::size_t free_bytes);

// About a second, and another for compiling. Works in probe_bytes of device memory. `arch`
// decides whether wgmma is there.
Result<MeasuredRoofs> measure_roofs(const Driver& driver, const CubinProvider& provider, const DeviceInfo& device,
                                    DeviceTimer& timer, CUstream stream);

} // namespace warptune
