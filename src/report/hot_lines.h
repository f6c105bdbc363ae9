// Instruction samples and counts, summed by source line and sorted. Pure.
#pragma once

#include "core/pc_samples.h"
#include "spec/source_files.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warptune::report {

using StallShares = std::vector<std::pair<std::string, double>>; // reason, share; the largest first

struct HotLine {
  std::string file;      // its name in the kernel's sources, otherwise the name given to the compiler; empty: not known
  std::int64_t line = 0; // 0: not known
  std::string text;      // the line without indentation; empty if the file is not one of the kernel's sources
  std::int64_t samples = 0, not_issued = 0;
  double share = 0;   // share of all samples of the kernels
  StallShares stalls; // shares of the line's samples
  InstructionCounts counts = {};
};

struct HotInstruction {
  const InstructionSamples* at = nullptr; // points into the samples
  std::string file;                       // as in HotLine
  std::int64_t samples = 0, not_issued = 0;
  double share = 0;
  StallShares stalls;
};

struct HotSpots {
  std::int64_t samples = 0; // over all instructions
  double placed = 0;        // the share of samples with a source line
  // Those with most samples first; executed ones without samples last.
  std::vector<HotLine> lines;
  std::vector<HotInstruction> instructions;
  bool counted = false; // executions are known
};

// The result refers to `samples`.
HotSpots find_hot_spots(const PcSamples& samples, const SourceFiles& sources);

} // namespace warptune::report
