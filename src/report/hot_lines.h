// Sums instruction samples and counts by source line, and sorts the lines. Pure.
#pragma once

#include "core/pc_samples.h"
#include "spec/source_files.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warptune::report {

using StallShares = std::vector<std::pair<std::string, double>>; // (reason, share), largest share first

struct HotLine {
  std::string file;      // name in the kernel's sources, else as given to the compiler; empty: not known
  std::int64_t line = 0; // 0: not known
  std::string text;      // the line without indentation; empty if the file is not among the kernel's sources
  std::int64_t samples = 0, not_issued = 0;
  double share = 0;   // share of all samples of the kernels
  StallShares stalls; // shares of this line's samples
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
  double placed = 0;        // samples with a source line, divided by all samples
  // Lines with the most samples come first. Lines that were executed but never sampled come last.
  std::vector<HotLine> lines;
  std::vector<HotInstruction> instructions;
  bool counted = false; // whether executions were counted
};

// The result points into `samples`.
HotSpots find_hot_spots(const PcSamples& samples, const SourceFiles& sources);

} // namespace warptune::report
