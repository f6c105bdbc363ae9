// How long a configuration keeps each resource of the device busy: its work, divided by the measured roof. No run can
// be shorter than the longest of these times. Pure.
//
// Assumptions: the resource works at its roof while it is busy, and resources work at the same time. The roof of
// `issue` is not measured: each of the four schedulers of a multiprocessor issues one warp instruction per clock of the
// timed run. Special-function and integer pipes have no roof here; they show as issue or as stalls
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
  std::string unit;     // of the work: "B", "op", "instructions"
  double work = 0;      // bytes, operations, warp instructions
  double busy_us = 0;   // work / roof
  bool counted = false; // false: from the model of the spec
};

// What a launch sequence does.
struct Work {
  std::optional<CostEstimate> cost;     // the model
  std::optional<CounterFacts> counters; // hardware counters
  double sm_clock_mhz = 0;              // of the timed run; 0: not known
  bool cold_l2 = true;
};

// The busiest first. Resources without work or without a known roof are left out. DRAM as in dram_traffic (bound.h);
// operations of a pipe: counted with each instruction as an FMA (none, if the counters are 0), otherwise those of the
// model.
std::vector<ResourceTime> resource_times(const Work& work, const DeviceInfo& device);

// The resources whose work neither the counters nor, for operations, the model has. Any of them may be the busiest.
std::vector<std::string> uncounted(const Work& work);

} // namespace warptune::report
