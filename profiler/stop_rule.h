// Decides when a measurement has enough samples. Pure: uses only the samples, so it can be tested without a device.
#pragma once

#include "profiler/timer.h"

#include <span>

namespace warptune {

enum class Next { more, enough, drop };

// Decides what to do after these samples. `spent_ms`: device time spent on them.
//   drop    The candidate cannot win. After min_samples samples: the interval of its median is above drop_above_us.
//           After kMinSamples samples: all of them are above kHopeless * drop_above_us, or above drop_above_us by
//           more than the difference between the slowest and the fastest sample.
//   enough  One of these: the interval is narrow (after min_samples); max_samples are taken; max_ms is spent (after
//           kMinSamples, so that a kernel of half a second costs three launches and not a hundred); or kLongMs is
//           spent, and at least kMinSamples samples differ by at most target_rel_ci of their median.
Next decide_next(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options);

// Whether the verifying launch, which counts as the first sample, was so slow that the candidate cannot win and needs
// no more samples. Allows for the extra time of a first launch. Always false if drop_above_us is 0.
bool is_hopeless_at_once(double launch_us, const MeasureOptions& options);

// Returns how many samples to queue next: at first a few, then as many as the limits allow, but at most `batch_limit`.
// `expected_us`: time of a sample as expected from an earlier launch; 0: not known.
int next_batch(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options, int batch_limit,
               double expected_us = 0);

inline constexpr int kMinSamples = 3;
inline constexpr double kHopeless = 1.5;
inline constexpr double kLongMs = 10;
// Limits for a first sample: kHopelessOnce is a factor for drop_above_us. kFirstLaunchUs is the extra time of a first
// launch (instruction fetches, TLB misses).
inline constexpr double kHopelessOnce = 1.08;
inline constexpr double kFirstLaunchUs = 50;
// A first sample that takes at least this long counts as a normal one, because its error is at most half a per cent.
inline constexpr double kLongUs = 2000;

} // namespace warptune
