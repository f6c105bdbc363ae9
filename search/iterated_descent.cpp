#include "search/iterated_descent.h"

#include <cmath>

namespace warptune {

std::optional<ConfigIndex> IteratedDescent::next() {
  if (started_ < rules_.starts && archive_.observed() < rules_.starts) {
    ++started_;
    return start_.next();
  }
  if (!archive_.best() || landing_) return std::nullopt;
  if (!home_) {
    home_ = {*archive_.best(), archive_.best_log_time()};
    descent_.start(*home_);
  }
  constexpr int kHops = 8; // hops to known configurations, which cost no evaluation
  for (int i = 0; i < kHops; ++i) {
    if (const auto found = descent_.next()) return found;
    if (!descent_.ended()) return std::nullopt;
    if (rules_.accept(descent_.at(), *home_)) home_ = descent_.at();
    const ConfigIndex to = rules_.hop(home_->index);
    if (const auto known = archive_.log_time(to)) {
      if (std::isfinite(*known)) descent_.start({to, *known});
    } else if (archive_.worth(to, draws_)) {
      landing_ = to;
      return to;
    }
  }
  return archive_.fresh(draws_);
}

void IteratedDescent::learn(const Scored& seen) {
  if (descent_.learn(seen)) return;
  const bool landed = landing_ == seen.index;
  if (landed) landing_.reset();
  // A result from outside the descent becomes home if it is faster.
  const bool found = home_ && seen.log_time < std::min(home_->log_time, descent_.at().log_time);
  if (found) home_ = seen;
  if (found || (landed && std::isfinite(seen.log_time))) descent_.start(seen);
}

} // namespace warptune
