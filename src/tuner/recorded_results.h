// Results of a kernel in recordings, as sources of hints (search/hints.h).
#pragma once

#include "jit/template_store.h"
#include "predict/expected_time.h"
#include "recording/recording.h"
#include "search/hints.h"

#include <cstddef>
#include <vector>

namespace warptune {

// Configurations of each result that become hints. More configurations made the hints of 19 recordings worse.
inline constexpr std::size_t kGoodConfigs = 8;

// Returns the fastest configurations of a recording. Its params must be those of the spec (adopt_params). `model` is of
// the recording's problem and device; null: the hints do not take expected times into account.
TunedElsewhere recorded_result(const Recording& recording, const Problem& problem, const TimeModel* model);

// Returns the results of the shipped recordings of this kernel, at most the `most` results that are most similar to
// `here`. Recordings that cannot be read, or that have other params, are left out.
std::vector<TunedElsewhere> shipped_results(const Kernel& kernel, const HintTarget& here, bool prior, std::size_t most);

} // namespace warptune
