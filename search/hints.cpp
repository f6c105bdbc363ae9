#include "search/hints.h"

#include "predict/transfer_model.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace warptune {
namespace {

// At this distance, a result of another shape counts half: three doublings.
constexpr double kHalfDistance = 3;
constexpr double kOtherDtype = 0.5, kOtherFlag = 0.5, kOtherDevice = 0.7, kOtherArch = 0.5, kOtherSource = 0.8,
                 kOtherCache = 0.9;
// The promise of a configuration falls by the factor e if it is expected to be slower by this, in log time.
constexpr double kScale = 0.3;
// Weight of the model, which covers waves but not caches. Chosen on the recordings, on which a weight of 1 is as good.
constexpr double kBelief = 0.5;
constexpr std::size_t kFreely = 2, kByOneStep = 4; // params that may change to make a configuration valid

Positions positions_of(const Config& config, const KernelSpec& spec) {
  Positions out;
  for (std::size_t i = 0; i < spec.params.size(); ++i) {
    const std::vector<std::int64_t>& values = spec.params[i].values;
    out.push_back(static_cast<std::int32_t>(std::find(values.begin(), values.end(), config[i]) - values.begin()));
  }
  return out;
}

// The cheapest valid configuration that differs in exactly `changes` params from `first` on. A change costs its number
// of steps divided by the number of the param's values.
struct Nearest {
  const SearchSpace& space;
  bool by_one_step;
  Positions at;
  double best_cost = 1e300;
  std::optional<ConfigIndex> best{};

  void change(std::size_t first, std::size_t changes, double cost) {
    if (cost >= best_cost) return;
    if (changes == 0) {
      const auto found = space.find_positions(at);
      if (!found) return;
      best_cost = cost;
      best = found;
      return;
    }
    for (std::size_t i = first; i + changes <= at.size(); ++i) {
      const std::int32_t from = at[i], count = static_cast<std::int32_t>(space.values()[i].size());
      const std::int32_t low = by_one_step ? std::max(from - 1, 0) : 0;
      const std::int32_t high = by_one_step ? std::min(from + 1, count - 1) : count - 1;
      for (std::int32_t to = low; to <= high; ++to) {
        if (to == from) continue;
        at[i] = to;
        change(i + 1, changes - 1, cost + static_cast<double>(std::abs(to - from)) / count);
      }
      at[i] = from;
    }
  }
};

} // namespace

double likeness(const TunedElsewhere& there, const HintTarget& here) {
  const Problem &a = there.problem, &b = here.problem;
  double distance = 0;
  for (std::size_t i = 0; i < a.dims.size() && i < b.dims.size(); ++i) distance += dim_distance(a.dims[i], b.dims[i]);
  double like = std::exp2(-distance / kHalfDistance);
  if (a.dtype != b.dtype) like *= kOtherDtype;
  for (std::size_t i = 0; i < a.flags.size() && i < b.flags.size(); ++i)
    if (a.flags[i] != b.flags[i]) like *= kOtherFlag;
  if (there.device != here.device) like *= there.arch == here.arch ? kOtherDevice : kOtherArch;
  if (there.source_hash != here.source_hash) like *= kOtherSource;
  if (there.cold_l2 != here.cold_l2) like *= kOtherCache;
  return std::max(like, 1e-6);
}

std::optional<ConfigIndex> nearest_valid(const Config& config, const HintTarget& here) {
  const Positions wanted = positions_of(config, here.spec);
  for (std::size_t changes = 0; changes <= std::min(kByOneStep, wanted.size()); ++changes) {
    Nearest nearest{here.space, changes > kFreely, wanted};
    nearest.change(0, changes, 0);
    if (nearest.best) return nearest.best;
  }
  return std::nullopt;
}

std::vector<Hint> make_hints(const std::vector<TunedElsewhere>& elsewhere, const HintTarget& here) {
  struct Vote {
    double promise, relative_time;
  };
  struct Votes {
    double promise = 0, weight = 0, weighted_time = 0, unlike = 1;
  };
  std::map<ConfigIndex, Votes> all;
  for (const TunedElsewhere& there : elsewhere) {
    const double like = likeness(there, here);
    std::map<ConfigIndex, Vote> votes; // several may have the same nearest configuration: the best counts
    for (const TunedElsewhere::Good& good : there.good) {
      const auto index = nearest_valid(good.config, here);
      if (!index) continue;
      const double shift =
          here.expected_log_slowdown ? here.expected_log_slowdown(*index) - good.expected_log_slowdown : 0;
      const double expected = std::log(good.relative_time) + (std::isfinite(shift) ? kBelief * shift : 0);
      const Vote vote{like * std::exp(-expected / kScale), good.relative_time};
      const auto [known, is_new] = votes.emplace(*index, vote);
      if (!is_new && vote.promise > known->second.promise) known->second = vote;
    }
    for (const auto& [index, vote] : votes) {
      Votes& v = all[index];
      v.promise += vote.promise;
      v.weight += like;
      v.weighted_time += like * vote.relative_time;
      v.unlike *= 1 - like;
    }
  }
  std::vector<std::pair<double, Hint>> ranked;
  for (const auto& [index, v] : all) ranked.push_back({v.promise, {index, v.weighted_time / v.weight, 1 - v.unlike}});
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Hint> hints;
  for (const auto& [promise, hint] : ranked) hints.push_back(hint);
  return hints;
}

} // namespace warptune
