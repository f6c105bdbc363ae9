// When a measurement has seen enough. Pure: decides from the samples alone, so it is tested without a device.
#pragma once

#include "profiler/timer.h"

#include <span>

namespace warptune {

enum class Next { more, enough, drop };

// `spent_ms`: device time of the samples so far.
//   drop    the candidate cannot win: the interval of its median lies above drop_above_us (after min_samples), or after
//           kMinSamples samples all of them lie further above it than they lie apart, or kHopeless times above it
//   enough  the interval is narrow (after min_samples), max_samples are taken, or max_ms is spent (after kMinSamples
//           samples, so that a kernel of half a second costs three launches and not a hundred); or kLongMs are spent
//           and kMinSamples samples already agree as closely as the interval has to be
Next decide_next(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options);

// From the one launch that verified the candidate, a sample like any other but for what only a first launch waits for:
// so slow that it cannot win, and not worth another. Never without racing.
bool is_hopeless_at_once(double launch_us, const MeasureOptions& options);

// How many samples to queue next: few while nothing is known, then as many as the limits leave, at most `batch_limit`.
// `expected_us`: what a sample will take, where an earlier launch told; 0: not known.
int next_batch(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options, int batch_limit,
               double expected_us = 0);

inline constexpr int kMinSamples = 3;
inline constexpr double kHopeless = 1.5;
inline constexpr double kLongMs = 10;
// For a single sample: the margin, and what a first launch may take longer than the next (instructions to fetch, TLBs).
inline constexpr double kHopelessOnce = 1.08;
inline constexpr double kFirstLaunchUs = 50;
// A first sample from here on is as good as the next: it is at most half a per cent off.
inline constexpr double kLongUs = 2000;

} // namespace warptune
