#include "profiler/stop_rule.h"

#include "core/statistics.h"

#include <algorithm>

namespace warptune {
namespace {

int count_of(std::span<const float> samples) { return static_cast<int>(samples.size()); }

} // namespace

Next decide_next(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options) {
  const int count = count_of(samples_us);
  if (count == 0) return Next::more;
  const Interval interval = median_interval(samples_us);
  const bool racing = options.drop_above_us > 0;
  const auto [least, most] = std::minmax_element(samples_us.begin(), samples_us.end());
  const double spread = *most - *least;
  if (racing && count >= std::min(kMinSamples, options.min_samples) &&
      (*least > kHopeless * options.drop_above_us || *least - options.drop_above_us > spread))
    return Next::drop;
  if (racing && count >= options.min_samples && interval.low > options.drop_above_us) return Next::drop;
  if (count >= options.max_samples) return Next::enough;
  if (spent_ms >= options.max_ms && count >= std::min(kMinSamples, options.max_samples)) return Next::enough;
  const double middle = median(samples_us);
  if (count >= std::min(kMinSamples, options.max_samples) && spent_ms >= kLongMs &&
      spread <= options.target_rel_ci * middle)
    return Next::enough;
  if (count >= options.min_samples && interval.high - interval.low <= 2 * options.target_rel_ci * middle)
    return Next::enough;
  return Next::more;
}

bool is_hopeless_at_once(double launch_us, const MeasureOptions& options) {
  return options.drop_above_us > 0 && launch_us - kFirstLaunchUs > kHopelessOnce * options.drop_above_us;
}

int next_batch(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options, int batch_limit,
               double expected_us) {
  const int count = count_of(samples_us);
  if (count == 0 && expected_us <= 0) return 1; // the time of one sample decides how many fit
  const double sample_ms = std::max(1e-3, (count == 0 ? expected_us : median(samples_us)) / 1e3);
  const int affordable = static_cast<int>(std::clamp((options.max_ms - spent_ms) / sample_ms, 0.0, 1e6));
  // Samples between two evaluations of the rule: up to min_samples first, then half as many again each time. For long
  // kernels, the rule is evaluated as soon as it may be satisfied.
  const int first_look =
      sample_ms * options.min_samples > kLongMs ? std::min(kMinSamples, options.min_samples) : options.min_samples;
  const int next_look = count < first_look ? first_look : options.min_samples;
  const int wanted = count < next_look ? next_look - count : std::max(4, count / 2);
  const int needed = std::max(1, std::min(kMinSamples, options.max_samples) - count);
  return std::clamp(std::min({wanted, std::max(needed, affordable), options.max_samples - count}), 1, batch_limit);
}

} // namespace warptune
