// PcSamples: for each instruction of a kernel, the number of samples, and the reasons why the sampled warps waited. At
// fixed intervals the hardware picks one warp of each multiprocessor and records its instruction and state. If the
// instructions were also counted, each has its number of executions and the cost of its memory accesses.
#pragma once

#include "core/members.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

using StallCounts = std::map<std::string, std::int64_t>; // reason ("long_scoreboard", "selected") -> samples

// The counts of one instruction in one launch sequence. 0: no events, or the device lacks the metric.
struct InstructionCounts {
  std::int64_t executed = 0;         // executions by warps
  std::int64_t threads = 0;          // executions by threads, without those that were predicated off
  std::int64_t sectors = 0;          // 32-byte sectors of global memory that its accesses touched
  std::int64_t ideal_sectors = 0;    // the sectors needed if neighbouring threads accessed neighbouring elements
  std::int64_t wavefronts = 0;       // passes over shared memory
  std::int64_t ideal_wavefronts = 0; // passes needed without bank conflicts
  InstructionCounts& operator+=(const InstructionCounts& other);
  bool operator==(const InstructionCounts&) const = default;
};

template <>
inline constexpr auto kMembers<InstructionCounts> = std::tuple{
    member("executed", &InstructionCounts::executed),
    member("threads", &InstructionCounts::threads),
    member("sectors", &InstructionCounts::sectors),
    member("ideal_sectors", &InstructionCounts::ideal_sectors),
    member("wavefronts", &InstructionCounts::wavefronts),
    member("ideal_wavefronts", &InstructionCounts::ideal_wavefronts),
};
static_assert(lists_every_field<InstructionCounts>());

struct InstructionSamples {
  std::string function;    // the function's name in the cubin
  std::int64_t offset = 0; // bytes from the first instruction of the function
  std::string file;        // source file, as named to the compiler; empty: not known
  std::int64_t line = 0;   // counts from 1; 0: not known
  StallCounts stalls;      // all samples of the instruction
  StallCounts not_issued;  // samples in `stalls` during which the scheduler issued no instruction from any warp
  InstructionCounts counts = {};
};

template <>
inline constexpr auto kMembers<InstructionSamples> = std::tuple{
    member("function", &InstructionSamples::function),
    member("offset", &InstructionSamples::offset),
    member("file", &InstructionSamples::file),
    member("line", &InstructionSamples::line, {.unknown_at_0 = true}),
    member("stalls", &InstructionSamples::stalls),
    member("not_issued", &InstructionSamples::not_issued),
    member("counts", &InstructionSamples::counts),
};
static_assert(lists_every_field<InstructionSamples>());

struct PcSamples {
  std::vector<InstructionSamples> instructions; // instructions with samples or counts, sorted by function and offset
  std::string source;                           // "CUPTI 13.0"
  std::int64_t launches = 0;                    // launch sequences that were sampled
  std::int64_t period_cycles = 0;               // cycles between two samples of a multiprocessor
  std::int64_t dropped = 0;                     // samples that the hardware lost
  std::string no_counts = {}; // sentence that says which counts are missing, and why; empty: none is missing
};

template <>
inline constexpr auto kMembers<PcSamples> = std::tuple{
    member("instructions", &PcSamples::instructions), member("source", &PcSamples::source),
    member("launches", &PcSamples::launches),         member("period_cycles", &PcSamples::period_cycles),
    member("dropped", &PcSamples::dropped),           member("no_counts", &PcSamples::no_counts),
};
static_assert(lists_every_field<PcSamples>());

// Adds counts to the samples of the same cubin. Also adds instructions that have counts but no samples.
// `samples.no_counts` then names the functions that were sampled but not counted.
void add_counts(PcSamples& samples, PcSamples counted);

// (function, offset in bytes from its first instruction) -> "LDG.E R2, desc[UR4][R2.64]".
using SassText = std::map<std::pair<std::string, std::int64_t>, std::string>;

// The samples of a configuration, with the text of all instructions of the sampled cubin.
struct SourceProfile {
  PcSamples samples;
  SassText sass;       // empty: not known
  std::string no_sass; // why `sass` is missing; empty: it is present
};

} // namespace warptune
