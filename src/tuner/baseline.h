// What a session compares its winner with: the kernel's library calls (docs/spec.md), which are measured first and take
// part in the finals, however slow they are.
#pragma once

#include "space/space.h"
#include "spec/spec.h"
#include "tuner/finals.h"

#include <span>
#include <string>
#include <vector>

namespace warptune {

// The valid configurations of all implementations with library calls; of an implementation that has more than
// kMaxBaselines its first ones, in the order of its params.
inline constexpr std::size_t kMaxBaselines = 32;
std::vector<ConfigIndex> find_baselines(const KernelSpec& spec, const SearchSpace& space);

// Why there is none: a sentence.
std::string no_baseline_text(const KernelSpec& spec);

// The fastest of them that was correct goes to the finalists, unless one is there.
void add_baseline(std::vector<ConfigIndex>& finalists, const TrialBook& book, std::span<const ConfigIndex> baselines);

// The fastest of them in the finals; null: none is among the correct finalists.
const Finalist* fastest_baseline(std::span<const Finalist> finalists, std::span<const ConfigIndex> baselines);

// "1.050 times as fast as implementation=cublaslt,RANK=2 (181.2 us)"
std::string compare_with_baseline(const std::string& baseline, double baseline_us, double winner_us);

} // namespace warptune
