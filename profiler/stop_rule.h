// Decides when a measurement has enough samples. Pure: uses only the samples, so it is tested without a device.
#pragma once

#include "profiler/timer.h"

#include <span>

namespace warptune {

enum class Next { more, enough, drop };

// `spent_ms`: device time of the samples so far.
//   drop    The candidate cannot win: the interval of its median lies above drop_above_us (after min_samples). Or,
//           after kMinSamples samples, all samples are more than kHopeless times drop_above_us, or above it by more
//           than the difference between the slowest and the fastest sample.
//   enough  The interval is narrow (after min_samples), max_samples are taken, or max_ms is spent (after kMinSamples
//           samples, so that a kernel of half a second costs three launches and not a hundred). Or kLongMs is spent,
//           and at least kMinSamples samples differ by at most target_rel_ci of their median.
Next decide_next(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options);

// Whether the verifying launch, which counts as a sample, was so slow that the candidate cannot win and needs no more
// samples. Allows for first-launch delays. Always false without racing.
bool is_hopeless_at_once(double launch_us, const MeasureOptions& options);

// Returns how many samples to queue next: first a few, then as many as the limits allow, at most `batch_limit`.
// `expected_us`: the expected time of a sample from an earlier launch; 0: not known.
int next_batch(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options, int batch_limit,
               double expected_us = 0);

inline constexpr int kMinSamples = 3;
inline constexpr double kHopeless = 1.5;
inline constexpr double kLongMs = 10;
// For a single sample: the margin as a factor, and a first launch's extra time in us (instruction fetches, TLB misses).
inline constexpr double kHopelessOnce = 1.08;
inline constexpr double kFirstLaunchUs = 50;
// A first sample of at least this length counts as a normal one: its error is at most half a per cent.
inline constexpr double kLongUs = 2000;

} // namespace warptune
