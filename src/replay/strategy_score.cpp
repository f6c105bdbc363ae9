#include "replay/strategy_score.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune {
namespace {

using Runs = std::vector<const SearchTrace*>;

constexpr std::size_t kJudgedAt = 2; // 100 evaluations

double share_at(const SearchTrace& trace, double best_ms, std::int64_t budget) {
  if (trace.budget > 0 && trace.budget < budget) return std::numeric_limits<double>::quiet_NaN();
  double share = 0;
  for (const SearchTrace::Improvement& i : trace.improvements)
    if (i.evaluations <= budget) share = best_ms / i.best_ms;
  return share;
}

struct Reached {
  double evaluations = 0, spent_s = 0;
  bool by_a_seed = false;
};

Reached expected_until(const Runs& runs, double best_ms, double share) {
  Reached sum;
  std::size_t hits = 0;
  for (const SearchTrace* trace : runs) {
    const auto& steps = trace->improvements;
    const auto hit =
        std::find_if(steps.begin(), steps.end(), [&](const auto& i) { return best_ms / i.best_ms >= share; });
    const bool reached = hit != steps.end() && hit->evaluations <= kScoredCap;
    const std::int64_t end = trace->budget > 0 ? std::min(trace->budget, kScoredCap) : kScoredCap;
    sum.evaluations += static_cast<double>(reached ? hit->evaluations : end);
    sum.spent_s += reached ? hit->spent_s : trace->spent_s;
    hits += reached ? 1 : 0;
  }
  const double by = static_cast<double>(std::max<std::size_t>(hits, 1));
  return {sum.evaluations / by, sum.spent_s / by, hits > 0};
}

SpaceScore score_space(const Runs& runs, double best_ms) {
  SpaceScore score;
  score.seeds = runs.size();
  for (std::size_t b = 0; b < kScoredBudgets.size(); ++b) {
    for (const SearchTrace* trace : runs) score.at[b] += share_at(*trace, best_ms, kScoredBudgets[b]);
    score.at[b] /= static_cast<double>(runs.size());
  }
  const Reached at_95 = expected_until(runs, best_ms, 0.95), at_99 = expected_until(runs, best_ms, 0.99);
  score.evaluations_95 = at_95.evaluations;
  score.spent_95_s = at_95.spent_s;
  score.evaluations_99 = at_99.evaluations;
  score.is_reached_95 = at_95.by_a_seed;
  score.is_reached_99 = at_99.by_a_seed;
  return score;
}

StrategyScore score_strategy(const std::string& strategy, const std::map<std::string, Runs>& runs,
                             const std::map<std::string, double>& best_ms) {
  StrategyScore out;
  out.strategy = strategy;
  out.worst_at_100 = std::numeric_limits<double>::infinity();
  out.seeds = std::numeric_limits<std::size_t>::max();
  const double each = 1 / static_cast<double>(runs.size());
  for (const auto& [space, of_space] : runs) {
    const SpaceScore score = score_space(of_space, best_ms.at(space));
    for (std::size_t b = 0; b < kScoredBudgets.size(); ++b) out.at[b] += score.at[b] * each;
    out.worst_at_100 = std::min(out.worst_at_100, score.at[kJudgedAt]);
    out.evaluations_95 += std::log(score.evaluations_95) * each;
    out.evaluations_99 += std::log(score.evaluations_99) * each;
    out.spent_95_s += std::log(score.spent_95_s) * each;
    out.is_reached_95 = out.is_reached_95 && score.is_reached_95;
    out.is_reached_99 = out.is_reached_99 && score.is_reached_99;
    out.seeds = std::min(out.seeds, score.seeds);
    out.spaces.emplace(space, score);
  }
  if (std::isnan(out.at[kJudgedAt])) out.worst_at_100 = std::numeric_limits<double>::quiet_NaN();
  for (double* logarithm : {&out.evaluations_95, &out.evaluations_99, &out.spent_95_s})
    *logarithm = std::exp(*logarithm);
  return out;
}

} // namespace

std::vector<StrategyScore> score_strategies(const std::vector<SearchTrace>& traces,
                                            const std::map<std::string, double>& best_ms) {
  std::map<std::string, std::map<std::string, Runs>> runs;
  for (const SearchTrace& trace : traces)
    if (best_ms.contains(trace.space)) runs[trace.strategy][trace.space].push_back(&trace);
  std::vector<StrategyScore> scores;
  for (const auto& [strategy, of_strategy] : runs) scores.push_back(score_strategy(strategy, of_strategy, best_ms));
  const auto known_at = [&](std::size_t b) {
    return std::all_of(scores.begin(), scores.end(), [b](const auto& s) { return std::isfinite(s.at[b]); });
  };
  std::size_t judged = kJudgedAt + 1;
  while (judged > 0 && !known_at(judged - 1)) --judged;
  if (judged > 0)
    std::stable_sort(scores.begin(), scores.end(),
                     [b = judged - 1](const auto& a, const auto& c) { return a.at[b] > c.at[b]; });
  return scores;
}

} // namespace warptune
