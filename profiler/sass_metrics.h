// Chooses the SASS metrics of CUPTI that count each member of InstructionCounts.
#pragma once

#include "core/pc_samples.h"
#include "profiler/cupti_library.h"

#include <cstdint>
#include <map>
#include <string>

namespace warptune {

using CountMember = std::int64_t InstructionCounts::*;

struct SassMetrics {
  std::map<std::uint64_t, CountMember> members; // by CUPTI's id of the metric; several metrics may add up to one member
  std::string missing; // members without a metric on this chip: "ideal sectors, ideal wavefronts"; empty: none
};

// `chip`: as CUPTI names it. Error (no_device): the chip has no count of executed instructions.
Result<SassMetrics> choose_sass_metrics(const CuptiLibrary& cupti, const char* chip);

} // namespace warptune
