// States what bounds a kernel, in one sentence with the supporting figures: the roof that the kernel nearly reaches, or
// that it reaches no roof. Pure; each number is marked as measured or as coming from the model.
#pragma once

#include "core/device.h"
#include "core/trial.h"
#include "plan/plan.h"
#include "predict/counter_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::report {

// A kernel that reaches at least this share of a roof is bound by it; below, its warps wait for something else.
inline constexpr double kReached = 0.6;
// Above this share of the DRAM roof, some of the model's bytes came from the L2. 5 % exceeds the error of two
// measurements.
inline constexpr double kBeyondRoof = 1.05;
inline constexpr double kCloseBehind = 0.1; // a second roof within this share of the first is named too
inline constexpr double kLaunchBoundUs = 5; // chosen, because starting and draining a grid takes 2 to 3 us of it

struct BoundFacts {
  double time_us = 0;
  std::optional<CostEstimate> cost;     // the bytes that the kernel must move and the operations that it must do
  std::optional<CounterFacts> counters; // measured counters, if the kernel was profiled
  Roofs roofs;
  double issue_roof = 0; // warp instructions per microsecond (issue_roof); 0: not known
  KernelResources resources;
  bool cold_l2 = true;
  bool is_profiled = false; // counters were already requested, so the sentence does not recommend profiling
};

struct Evidence {
  std::string label, value; // "DRAM", "91 % of 4234 GB/s"
};

struct Bound {
  // "DRAM", "L2", "L1/shared memory", a pipe, "issue", "latency", "launch", "cache"; empty: not known
  std::string limit;
  std::string sentence; // "DRAM-bound: 91 % of the measured roof at its mix of reads and writes (4234 GB/s)."
  std::string source;   // "measured" (counters), "model"
  double share = 0;     // share of the roof that limits the kernel
  std::vector<Evidence> evidence;
};

Bound judge_bound(const BoundFacts& facts);

// Returns the DRAM traffic of a run: the counted traffic, otherwise the model's. Written data that is still in the L2
// when the kernel ends is not counted, but is written back later. A timed run from a cold L2 writes back the same
// amount, because the L2 is first filled with as many modified bytes (docs/methodology.md). Writes are therefore at
// least the bytes that the kernel must write.
CostEstimate dram_traffic(const std::optional<CostEstimate>& must, const CounterFacts& counted, bool cold_l2);
// Whether all bytes of `traffic` (from dram_traffic) were counted: false if its writes, or all of it, are the model's.
bool is_counted(const CostEstimate& traffic, const CounterFacts& counted);

// Returns the warp instructions that all schedulers issue in a microsecond at the clock of the run (0: the device's
// highest clock); 0: not known.
double issue_roof(const DeviceInfo& device, double sm_clock_mhz);
// Return the DRAM rate that a mix of reads and writes can reach, and a pipe's rate; 0: not known.
double dram_roof_gbs(const CostEstimate& cost, const Roofs& roofs);
double pipe_roof_tflops(const std::string& pipe, const Roofs& roofs);

} // namespace warptune::report
