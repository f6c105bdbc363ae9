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
  if (racing && count >= std::min(kFewest, options.min_samples) &&
      *std::min_element(samples_us.begin(), samples_us.end()) > kHopeless * options.drop_above_us)
    return Next::drop;
  if (racing && count >= options.min_samples && interval.low > options.drop_above_us) return Next::drop;
  if (count >= options.max_samples) return Next::enough;
  if (spent_ms >= options.max_ms && count >= std::min(kFewest, options.max_samples)) return Next::enough;
  const double middle = median(samples_us);
  if (count >= options.min_samples && interval.high - interval.low <= 2 * options.target_rel_ci * middle)
    return Next::enough;
  return Next::more;
}

int next_batch(std::span<const float> samples_us, double spent_ms, const MeasureOptions& options, int batch_limit) {
  const int count = count_of(samples_us);
  if (count == 0) return 1; // how long it takes decides how many fit
  const double sample_ms = std::max(1e-3, median(samples_us) / 1e3);
  const int affordable = static_cast<int>(std::clamp((options.max_ms - spent_ms) / sample_ms, 0.0, 1e6));
  // Between looks at the rule: up to min_samples first, then half as many again each time.
  const int wanted = count < options.min_samples ? options.min_samples - count : std::max(4, count / 2);
  const int needed = std::max(1, std::min(kFewest, options.max_samples) - count);
  return std::clamp(std::min({wanted, std::max(needed, affordable), options.max_samples - count}), 1, batch_limit);
}

} // namespace warptune
