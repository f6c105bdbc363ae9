// Says in one sentence what limits a kernel: the roof that the kernel nearly reaches, or that it reaches no roof. Gives
// the figures that show this, each marked as measured or from the cost model. Pure.
#pragma once

#include "core/device.h"
#include "core/trial.h"
#include "plan/plan.h"
#include "predict/counter_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::report {

// A roof limits a kernel if the kernel reaches at least this share of the roof. A kernel below this share of every roof
// waits for something else.
inline constexpr double kReached = 0.6;
// Above this share of the DRAM roof, some bytes of the cost model must have come from the L2. 5 % is more than the
// errors of the roof and of the kernel's time together.
inline constexpr double kBeyondRoof = 1.05;
inline constexpr double kCloseBehind = 0.1; // a second roof is named if its share is at most this below the first's
inline constexpr double kLaunchBoundUs =
    5; // below this time "launch" is the limit; starting and draining a grid takes 2 to 3 us

struct BoundFacts {
  double time_us = 0;
  std::optional<CostEstimate> cost;     // what the kernel must move and compute, from the cost model
  std::optional<CounterFacts> counters; // hardware counters, if the kernel was profiled
  Roofs roofs;
  double issue_roof = 0; // warp instructions per microsecond, from issue_roof(); 0: not known
  KernelResources resources;
  bool cold_l2 = true;
  bool is_profiled = false; // counters were requested already, so the sentence does not suggest profiling
};

struct Evidence {
  std::string label, value; // "DRAM", "91 % of 4234 GB/s"
};

struct Bound {
  // "DRAM", "L2", "L1/shared memory", a pipe, "issue", "latency", "launch", "cache"; empty: not known
  std::string limit;
  std::string sentence; // "DRAM-bound: 91 % of the measured roof at its mix of reads and writes (4234 GB/s)."
  std::string source;   // "measured" (by counters) or "model"
  double share = 0;     // reached share of the roof that limits the kernel
  std::vector<Evidence> evidence;
};

Bound judge_bound(const BoundFacts& facts);

// Returns the DRAM traffic of a run: as counted, otherwise as modelled. A counter misses data that is still in the L2
// when the kernel ends and is written back later. A timed run from a cold L2 nevertheless writes back that amount of
// data: the L2 is full of other modified data when the run begins (docs/methodology.md). Therefore the writes are at
// least the bytes that the kernel must write (`must`).
CostEstimate dram_traffic(const std::optional<CostEstimate>& must, const CounterFacts& counted, bool cold_l2);
// Whether all bytes of `traffic` (from dram_traffic) were counted. False if the writes, or all bytes, are from the cost
// model.
bool is_counted(const CostEstimate& traffic, const CounterFacts& counted);

// Returns the warp instructions per microsecond that all schedulers can issue at this clock (0: the device's highest
// clock). 0: not known.
double issue_roof(const DeviceInfo& device, double sm_clock_mhz);
// dram_roof_gbs returns the DRAM rate that the cost's mix of reads and writes can reach. pipe_roof_tflops returns the
// rate of a pipe. 0: not known.
double dram_roof_gbs(const CostEstimate& cost, const Roofs& roofs);
double pipe_roof_tflops(const std::string& pipe, const Roofs& roofs);

} // namespace warptune::report
