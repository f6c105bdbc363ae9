// Busy times: how long a configuration keeps each resource of the device busy. A busy time is the work on the resource
// divided by the resource's measured roof. No run can be shorter than the longest of these times. Pure.
//
// Assumptions: a busy resource works at its roof, and all resources work concurrently. The roof of the resource "issue"
// is not measured: each of the four schedulers of a multiprocessor issues one warp instruction per clock, at the clock
// of the timed run. Special-function and integer pipes have no roof here; their load appears as "issue", or as stalls
// (math_pipe_throttle).
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
  std::string unit;     // unit of `work`: "B", "op", "instructions"
  double work = 0;      // bytes, operations, warp instructions
  double busy_us = 0;   // work divided by the roof
  bool counted = false; // false: from the spec's cost model
  bool mixed = false;   // counted, but the writes to DRAM are partly from the model
};

// The work of one launch sequence.
struct Work {
  std::optional<CostEstimate> cost;     // from the spec's cost model
  std::optional<CounterFacts> counters; // hardware counters
  double sm_clock_mhz = 0;              // during the timed run; 0: not known
  bool cold_l2 = true;
};

// Returns the times, longest first. Resources without work or without a known roof are left out. For DRAM traffic, see
// dram_traffic (bound.h). A pipe's operations are from the counters if possible, otherwise from the model. Each counted
// instruction is taken as an FMA, and a pipe with a count of 0 is left out.
std::vector<ResourceTime> resource_times(const Work& work, const DeviceInfo& device);

// Returns the resources whose work is not known. Any of them may be the busiest. Work is known if it was counted;
// operations are also known from the model.
std::vector<std::string> uncounted(const Work& work);

} // namespace warptune::report
