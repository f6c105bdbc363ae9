#include "tuner/decision.h"

#include "core/statistics.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <tuple>

namespace warptune {
namespace {

constexpr double kSignificance = 0.05;
constexpr double kTieBand = 1.002; // the winner may be this much slower than the fastest of a tie, if it is simpler

// First configurations that every application may launch, then those that need less of a scarce resource, then an order
// that is the same in every run.
bool simpler(const Finalist& a, const Finalist& b) {
  const auto order = [](const Finalist& f) {
    const KernelResources& r = f.compiled.resources;
    return std::tuple(!f.calls.empty(), r.registers, f.shared_bytes + r.static_shared_bytes, f.threads, f.config);
  };
  return order(a) < order(b);
}

std::vector<float> samples_of(const Finalist& f, Objective objective) {
  if (objective == Objective::time) return f.compared_us();
  std::vector<float> samples;
  for (const float mj : f.energy_mj)
    samples.push_back(static_cast<float>(objective_value(objective, compared_median_us(f), double{mj})));
  return samples;
}

double p_better(const Finalist& a, const Finalist& b, Objective objective) {
  const std::vector<float> of_a = samples_of(a, objective), of_b = samples_of(b, objective);
  return of_a.size() < kMinRounds ? 1.0 : paired_p_faster(of_a, of_b);
}

// Slower in every round, and even in the closest round by more than the rounds differ. With five rounds, equal kernels
// meet this by chance about once in a thousand times.
bool clearly_slower(const Finalist& f, const Finalist& best) {
  const std::vector<float>&of_f = f.compared_us(), &of_best = best.compared_us();
  const std::size_t rounds = std::min(of_f.size(), of_best.size());
  if (rounds < kMinRounds) return false;
  double least = of_f[0] / of_best[0], most = least;
  for (std::size_t i = 1; i < rounds; ++i) {
    const double ratio = of_f[i] / of_best[i];
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  return least - 1 > most - least;
}

const char* better_text(Objective objective) {
  if (objective == Objective::time) return "faster than the default";
  return objective == Objective::energy ? "less energy than the default" : "less energy x time than the default";
}

const char* best_text(Objective objective) { return objective == Objective::time ? "fastest" : "best"; }

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p); }

} // namespace

void settle_losers(std::vector<Finalist>& finalists) {
  const Finalist* best = nullptr;
  for (const Finalist& f : finalists)
    if (f.is_running() && (!best || compared_median_us(f) < compared_median_us(*best))) best = &f;
  for (Finalist& f : finalists)
    if (f.is_running() && &f != best) f.settled = clearly_slower(f, *best);
}

double beside_winner_us(const Finalist& finalist, const Finalist& winner) {
  const double measured = measured_median_us(winner), compared = compared_median_us(winner);
  return compared > 0 ? compared_median_us(finalist) * (measured / compared) : compared_median_us(finalist);
}

double objective_of(const Finalist& f, Objective objective) {
  return objective_value(objective, compared_median_us(f), median(f.energy_mj));
}

std::optional<Decision> decide(std::span<const Finalist> finalists, Objective objective, double sm_clock_mhz) {
  std::vector<std::size_t> in;
  std::size_t readings = objective == Objective::time ? 0 : 1;
  for (const Finalist& f : finalists)
    if (f.status == TrialStatus::ok && readings > 0) readings = std::max(readings, f.energy_mj.size());
  for (std::size_t i = 0; i < finalists.size(); ++i)
    if (finalists[i].status == TrialStatus::ok && finalists[i].energy_mj.size() >= readings) in.push_back(i);
  if (in.empty()) return std::nullopt;
  const auto value = [&](std::size_t i) { return objective_of(finalists[i], objective); };
  const auto p_beats = [&](std::size_t a, std::size_t b) { return p_better(finalists[a], finalists[b], objective); };
  const auto better = [&](std::size_t a, std::size_t b) {
    const double x = value(a), y = value(b);
    return x != y ? x < y : simpler(finalists[a], finalists[b]);
  };
  // A settled finalist was clearly slower than another one. Without a reference, its median comes from other rounds
  // than the medians of the other finalists.
  std::vector<std::size_t> rivals;
  std::copy_if(in.begin(), in.end(), std::back_inserter(rivals), [&](std::size_t i) { return !finalists[i].settled; });
  if (objective != Objective::time || rivals.empty()) rivals = in;
  const std::size_t first = *std::min_element(rivals.begin(), rivals.end(), better);
  const auto found = std::find_if(in.begin(), in.end(), [&](std::size_t i) { return finalists[i].is_default; });
  const bool has_default = found != in.end();
  const std::size_t standard = has_default ? *found : 0;

  Decision d;
  for (const std::size_t i : in)
    if (i == first || p_beats(first, i) >= kSignificance) d.tie_set.push_back(i);
  d.certified = samples_of(finalists[first], objective).size() >= kMinRounds;
  const bool default_ties = has_default && std::find(d.tie_set.begin(), d.tie_set.end(), standard) != d.tie_set.end();
  if (default_ties) {
    d.winner = standard;
  } else {
    // The simplest of the tie set that is also proven better than the default, as `first` is.
    d.winner = first;
    for (const std::size_t i : d.tie_set)
      if ((!has_default || p_beats(i, standard) < kSignificance) && value(i) <= kTieBand * value(first) &&
          simpler(finalists[i], finalists[d.winner]))
        d.winner = i;
  }

  const Finalist& winner = finalists[d.winner];
  d.median_us = measured_median_us(winner);
  const Interval interval =
      winner.samples_us.empty() ? Interval{d.median_us, d.median_us} : next_interval(winner.samples_us);
  const double step = clock_step_share(sm_clock_mhz);
  d.ci_low_us = interval.low / (1 + step);
  d.ci_high_us = interval.high * (1 + step);
  if (!has_default) {
    const bool runs = std::any_of(finalists.begin(), finalists.end(),
                                  [](const Finalist& f) { return f.is_default && f.status == TrialStatus::ok; });
    d.outcome = runs ? "the default's energy is not known, so there is nothing to compare with"
                     : "the default is not among the correct configurations, so there is nothing to compare with";
    return d;
  }
  d.default_us = beside_winner_us(finalists[standard], winner);
  if (d.winner != standard) {
    d.p_value = p_beats(d.winner, standard);
    const double ratio = value(standard) / value(d.winner);
    d.outcome = fmt::format("{:.{}f}x {} ({})", ratio, ratio < 1.01 ? 4 : 2, better_text(objective), p_text(d.p_value));
  } else if (standard == first) {
    d.outcome = "the default is the best";
  } else if (d.certified) {
    d.outcome = fmt::format("not distinguishable from the default ({} for the {}), so the default wins",
                            p_text(p_beats(first, standard)), best_text(objective));
  } else {
    d.outcome = "too few rounds to distinguish any configuration from the default, so the default wins";
  }
  return d;
}

} // namespace warptune
