// What bounds a kernel, as one sentence with its evidence: which roof it comes near, or that it comes near none. Pure;
// says of each number whether it was measured or comes from the model.
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
  std::optional<CounterFacts> counters; // what it did, where it was profiled
  Roofs roofs;
  KernelResources resources;
  bool cold_l2 = true;
  bool is_profiled = false; // it was asked for counters: the reader need not be told to do so
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

// The DRAM traffic that a run causes: as it was counted, else as the model has it. What a kernel wrote and is still in
// the L2 at its end was not counted, but is written back all the same, and a timed run from a cold L2 pays for as much
// (docs/methodology.md): so of writes at least what it must write.
CostEstimate dram_traffic(const std::optional<CostEstimate>& must, const CounterFacts& counted, bool cold_l2);

// The DRAM rate that a mix of reads and writes can reach, and a pipe's rate; 0: not known.
double dram_roof_gbs(const CostEstimate& cost, const Roofs& roofs);
double pipe_roof_tflops(const std::string& pipe, const Roofs& roofs);

} // namespace warptune::report
