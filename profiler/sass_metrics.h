// Chooses the SASS metrics of CUPTI that provide each member of InstructionCounts.
#pragma once

#include "core/pc_samples.h"
#include "profiler/cupti_library.h"

#include <cstdint>
#include <map>
#include <string>

namespace warptune {

using CountMember = std::int64_t InstructionCounts::*;

struct SassMetrics {
  std::map<std::uint64_t, CountMember>
      members;         // keyed by CUPTI's id of the metric; a member may be the sum of several metrics
  std::string missing; // what this chip cannot count: "ideal sectors, ideal wavefronts"; empty: nothing is missing
};

// `chip`: CUPTI's name of the chip. Error (no_device): executed instructions cannot be counted on this chip.
Result<SassMetrics> choose_sass_metrics(const CuptiLibrary& cupti, const char* chip);

} // namespace warptune
