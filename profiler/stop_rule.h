// When a measurement has seen enough. Pure: decides from the samples alone, so it is tested without a device.
#pragma once

#include "profiler/timer.h"

#include <span>

namespace warptune {

enum class Next { more, enough, drop };

// `spent_ms`: device time of the samples so far.
//   drop    the candidate cannot win: the interval of its median lies above drop_above_us (after min_samples), or three
//           samples are all kHopeless times above it
//   enough  the interval is narrow (after min_samples), max_samples are taken, or max_ms is spent (after kFewest
//   samples,
//           so that a kernel of half a second costs three launches and not a hundred)
Next decide_next(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options);

// How many samples to queue next: few while nothing is known, then as many as the limits leave, at most `batch_limit`.
int next_batch(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options, int batch_limit);

inline constexpr int kFewest = 3;
inline constexpr double kHopeless = 1.5;

} // namespace warptune
