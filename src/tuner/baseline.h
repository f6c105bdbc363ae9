// Baselines: the configurations that call vendor libraries (docs/spec.md), with which a session compares its winner.
// The session measures them first. Some take part in the finals (add_baselines), however slow they are.
#pragma once

#include "space/space.h"
#include "spec/spec.h"
#include "tuner/finals.h"

#include <span>
#include <string>
#include <vector>

namespace warptune {

// Returns valid configurations of all implementations that call libraries. For each implementation, returns at most the
// first kMaxBaselines in the order of its params.
inline constexpr std::size_t kMaxBaselines = 32;
std::vector<ConfigIndex> find_baselines(const KernelSpec& spec, const SearchSpace& space);

// Returns a sentence that says why there are no baselines.
std::string no_baseline_text(const KernelSpec& spec);

// Adds the first baseline (a spec lists a library's own choice first) and the fastest baseline of each implementation
// to the finalists, if they are correct.
void add_baselines(std::vector<ConfigIndex>& finalists, const TrialBook& book, const KernelSpec& spec,
                   std::span<const ConfigIndex> baselines);

// Adds the fastest correct configuration that calls no library, unless the finalists include it: what applications
// launch that do not allow library calls. Without it, library calls could take all places in the finals.
void add_without_calls(std::vector<ConfigIndex>& finalists, const TrialBook& book, const KernelSpec& spec);

// Returns the fastest correct baseline among the finalists; null if there is none.
const Finalist* fastest_baseline(std::span<const Finalist> finalists, std::span<const ConfigIndex> baselines);

// Returns the fastest correct finalist that calls no library; null if there is none.
const Finalist* fastest_without_calls(std::span<const Finalist> finalists);

// Returns "1.050x the speed of implementation=cublaslt,RANK=2 (181.2 us)".
std::string compare_with_baseline(const std::string& baseline, double baseline_us, double winner_us);

// For a baseline that won, returns "the fastest configuration without library calls has 0.990x its speed (183.0 us):
// implementation=wgmma,BM=128".
std::string compare_with_kernel(const std::string& kernel, double kernel_us, double winner_us);

} // namespace warptune
