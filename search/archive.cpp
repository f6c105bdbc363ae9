#include "search/archive.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace warptune {

double log_time(const Observation& observation) {
  const bool usable = observation.ok && std::isfinite(observation.time_us) && observation.time_us > 0;
  return usable ? std::log(observation.time_us) : std::numeric_limits<double>::infinity();
}

Archive::Archive(const SearchSpace& space, std::uint64_t seed)
    : space_(space), order_(static_cast<std::uint64_t>(space.size()), seed),
      best_log_time_(std::numeric_limits<double>::infinity()) {
  for (const auto& values : space.values()) by_value_.emplace_back(values.size());
}

void Archive::propose(ConfigIndex index) {
  [[maybe_unused]] const bool added = entries_.emplace(index, std::nullopt).second;
  assert(added);
  ++in_flight_;
}

void Archive::observe(const Observation& observation) {
  const auto [entry, added] = entries_.try_emplace(observation.index);
  if (entry->second) return; // already observed
  if (!added) --in_flight_;
  const double seen = warptune::log_time(observation);
  entry->second = seen;
  if (seen < best_log_time_) {
    best_log_time_ = seen;
    best_ = observation.index;
  }
  const bool succeeded = std::isfinite(seen);
  const auto count = [succeeded](Counts& counts) { ++(succeeded ? counts.succeeded : counts.failed); };
  count(all_);
  if (succeeded) {
    const double off = seen - mean_;
    mean_ += off / all_.succeeded;
    squares_ += off * (seen - mean_);
  }
  Positions at;
  space_.positions(observation.index, at);
  for (std::size_t p = 0; p < at.size(); ++p) count(by_value_[p][static_cast<std::size_t>(at[p])]);
}

std::optional<double> Archive::log_time(ConfigIndex index) const {
  const auto found = entries_.find(index);
  return found == entries_.end() ? std::nullopt : found->second;
}

double Archive::spread() const { return all_.succeeded < 2 ? 0 : std::sqrt(squares_ / (all_.succeeded - 1)); }

std::optional<ConfigIndex> Archive::draw() {
  for (; next_ < space_.size(); ++next_) {
    const auto index = static_cast<ConfigIndex>(order_(static_cast<std::uint64_t>(next_)));
    if (!visited(index)) return index;
  }
  return std::nullopt;
}

double Archive::risk(ConfigIndex index) const {
  if (all_.failed == 0 || all_.succeeded == 0) return 0;
  Positions at;
  space_.positions(index, at);
  double log_odds = std::log(all_.failed / all_.succeeded);
  for (std::size_t p = 0; p < at.size(); ++p) {
    const Counts& counts = by_value_[p][static_cast<std::size_t>(at[p])];
    const auto values = static_cast<double>(by_value_[p].size());
    // Laplace smoothing: one more failure and one more success for each value.
    log_odds += std::log((counts.failed + 1) / (all_.failed + values)) -
                std::log((counts.succeeded + 1) / (all_.succeeded + values));
  }
  return std::min(kMaxRisk, 1 / (1 + std::exp(-log_odds)));
}

bool Archive::worth(ConfigIndex index, Draws& draws) const { return !visited(index) && !draws.chance(risk(index)); }

std::optional<ConfigIndex> Archive::fresh(Draws& draws) {
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    const auto index = static_cast<ConfigIndex>(draws.below(static_cast<std::size_t>(space_.size())));
    if (worth(index, draws)) return index;
  }
  return draw();
}

} // namespace warptune
