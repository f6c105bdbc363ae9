// What a configuration was counted to ask of the units of a device, freed of the problem that it was counted on, and
// the time that each unit would need for that on another problem or device. Pure; knows no search and no database.
#pragma once

#include "core/device.h"
#include "plan/plan.h"
#include "predict/counter_facts.h"

#include <array>
#include <cstddef>
#include <optional>

namespace warptune {

// A unit of work is an operation of the kernel's cost, or a byte where the cost names no operations. NaN: not counted.
struct CountedDemand {
  double dram_bytes = 0;   // for each byte that the caller's data take
  double l2_bytes = 0;     // between the L2 and the multiprocessors, for each unit of work
  double l1_bytes = 0;     // through L1 and shared memory, conflicts of banks counted again, for each unit of work
  double instructions = 0; // of warps, for each unit of work
  double warps_active = 0; // achieved occupancy, 0 to 1
};

// `cost`: of the problem that was counted. Nothing when it names no bytes, or nothing was counted.
std::optional<CountedDemand> counted_demand(const CounterFacts& facts, const CostEstimate& cost);

// What limits a launch, in the order of UnitTimes::us.
inline constexpr std::array<const char*, 4> kUnitNames = {"DRAM", "L2", "L1", "issue"};
inline constexpr double kIssuedPerCycle = 4; // warp instructions of a multiprocessor: one for each scheduler

struct UnitTimes {
  std::array<double, kUnitNames.size()> us{}; // at the unit's roof; NaN where demand or roof is not known
  double slowest_us = 0; // of those known and of the pipes that the cost names: the counted roofline
};

// `cost`: of the problem in question. The floor of a problem is roofline_point's (predict/roofline.h).
UnitTimes unit_times(const CountedDemand& demand, const CostEstimate& cost, const DeviceInfo& device);

} // namespace warptune
