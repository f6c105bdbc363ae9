// How long a configuration keeps each resource of the device busy: its work, divided by the measured roof. No run can
// be shorter than the longest of these times. Pure.
//
// Assumptions: a busy resource works at its roof, and resources work concurrently. The roof of `issue` is not measured:
// each of the four schedulers of a multiprocessor issues one warp instruction per clock of the timed run.
// Special-function and integer pipes have no roof here; they show as issue or as stalls (math_pipe_throttle).
#pragma once

#include "core/device.h"
#include "plan/plan.h"
#include "predict/counter_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::report {

struct ResourceTime {
  std::string resource; // "DRAM", "L2", "L1/shared memory", a pipe ("fp32", "tensor"), "issue"
  std::string unit;     // unit of the work: "B", "op", "instructions"
  double work = 0;      // bytes, operations, warp instructions
  double busy_us = 0;   // work / roof
  bool counted = false; // false: from the spec's cost model
  bool mixed = false;   // counted, but a part is the model's: the writes to DRAM
};

// The work of a launch sequence.
struct Work {
  std::optional<CostEstimate> cost;     // the model
  std::optional<CounterFacts> counters; // hardware counters
  double sm_clock_mhz = 0;              // during the timed run; 0: not known
  bool cold_l2 = true;
};

// Returns the busiest first. Resources without work or without a known roof are left out. DRAM traffic: as in
// dram_traffic (bound.h). Operations of a pipe: counted, each instruction as an FMA (none if the counters are 0),
// otherwise the model's.
std::vector<ResourceTime> resource_times(const Work& work, const DeviceInfo& device);

// Returns the resources whose work is unknown: not counted and, for operations, not in the model. Any may be the
// busiest.
std::vector<std::string> uncounted(const Work& work);

} // namespace warptune::report
