// States what bounds a kernel, in one sentence with its evidence: the roof that it comes near, or that it comes near
// none. Pure; says of each number whether it was measured or comes from the model.
#pragma once

#include "core/device.h"
#include "core/trial.h"
#include "plan/plan.h"
#include "predict/counter_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::report {

struct BoundFacts {
  double time_us = 0;
  std::optional<CostEstimate> cost;     // the bytes it must move and the operations it must do
  std::optional<CounterFacts> counters; // measured counters, if it was profiled
  Roofs roofs;
  KernelResources resources;
  bool cold_l2 = true;
  bool is_profiled = false; // counters were requested: the sentence need not advise it
};

struct Evidence {
  std::string label, value; // "DRAM", "91 % of 4234 GB/s"
};

struct Bound {
  std::string limit;    // "DRAM", "L2", "L1/shared memory", a pipe, "latency", "launch", "cache"; empty: not known
  std::string sentence; // "DRAM-bound: 91 % of the measured roof at its mix of reads and writes; L2 hit 34 %."
  std::string source;   // "measured" (counters), "model"
  double share = 0;     // of the roof that limits it
  std::vector<Evidence> evidence;
};

Bound judge_bound(const BoundFacts& facts);

// The DRAM traffic that a run causes: the counted traffic, otherwise the model's. Data that a kernel wrote and that is
// still in the L2 at its end was not counted, but is written back later. A timed run from a cold L2 pays for the same
// amount (docs/methodology.md). So the writes are taken as at least the bytes that the kernel must write.
CostEstimate dram_traffic(const std::optional<CostEstimate>& must, const CounterFacts& counted, bool cold_l2);

// The DRAM rate that a mix of reads and writes can reach, and a pipe's rate; 0: not known.
double dram_roof_gbs(const CostEstimate& cost, const Roofs& roofs);
double pipe_roof_tflops(const std::string& pipe, const Roofs& roofs);

} // namespace warptune::report
