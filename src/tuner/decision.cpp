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

// Compares finalists, by their indices.
struct Comparison {
  std::span<const Finalist> finalists;
  Objective objective;

  double value(std::size_t i) const { return objective_of(finalists[i], objective); }
  // The p-value of the hypothesis "a is not better than b".
  double p_beats(std::size_t a, std::size_t b) const {
    const std::vector<float> of_a = samples_of(finalists[a], objective), of_b = samples_of(finalists[b], objective);
    return of_a.size() < kMinRounds ? 1.0 : paired_p_faster(of_a, of_b);
  }
  bool is_better(std::size_t a, std::size_t b) const {
    const double x = value(a), y = value(b);
    return x != y ? x < y : simpler(finalists[a], finalists[b]);
  }
};

// The finalists that have all the samples that the objective needs.
std::vector<std::size_t> comparable(std::span<const Finalist> finalists, Objective objective) {
  std::size_t readings = objective == Objective::time ? 0 : 1;
  for (const Finalist& f : finalists)
    if (f.status == TrialStatus::ok && readings > 0) readings = std::max(readings, f.energy_mj.size());
  std::vector<std::size_t> in;
  for (std::size_t i = 0; i < finalists.size(); ++i)
    if (finalists[i].status == TrialStatus::ok && finalists[i].energy_mj.size() >= readings) in.push_back(i);
  return in;
}

std::size_t best_of(const std::vector<std::size_t>& in, const Comparison& by) {
  // A settled finalist was clearly slower than another one. Without a reference, its median comes from other rounds
  // than the medians of the other finalists.
  std::vector<std::size_t> rivals;
  std::copy_if(in.begin(), in.end(), std::back_inserter(rivals),
               [&](std::size_t i) { return !by.finalists[i].settled; });
  if (by.objective != Objective::time || rivals.empty()) rivals = in;
  return *std::min_element(rivals.begin(), rivals.end(),
                           [&](std::size_t a, std::size_t b) { return by.is_better(a, b); });
}

// The default if it ties with `first`, the best. Else the simplest of the tie set that is also proven better than the
// default, as `first` is.
std::size_t choose_winner(const std::vector<std::size_t>& tie_set, std::size_t first,
                          std::optional<std::size_t> standard, const Comparison& by) {
  if (standard && std::find(tie_set.begin(), tie_set.end(), *standard) != tie_set.end()) return *standard;
  std::size_t winner = first;
  for (const std::size_t i : tie_set)
    if ((!standard || by.p_beats(i, *standard) < kSignificance) && by.value(i) <= kTieBand * by.value(first) &&
        simpler(by.finalists[i], by.finalists[winner]))
      winner = i;
  return winner;
}

void set_times(Decision& d, const Finalist& winner, double sm_clock_mhz) {
  d.median_us = measured_median_us(winner);
  const Interval interval =
      winner.samples_us.empty() ? Interval{d.median_us, d.median_us} : next_interval(winner.samples_us);
  const double step = clock_step_share(sm_clock_mhz);
  d.ci_low_us = interval.low / (1 + step);
  d.ci_high_us = interval.high * (1 + step);
}

const char* better_text(Objective objective) {
  if (objective == Objective::time) return "faster than the default";
  return objective == Objective::energy ? "less energy than the default" : "less energy x time than the default";
}

const char* best_text(Objective objective) { return objective == Objective::time ? "fastest" : "best"; }

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p); }

std::string outcome_without_default(std::span<const Finalist> finalists) {
  const bool runs = std::any_of(finalists.begin(), finalists.end(),
                                [](const Finalist& f) { return f.is_default && f.status == TrialStatus::ok; });
  return runs ? "the default's energy is not known, so there is nothing to compare with"
              : "the default is not among the correct configurations, so there is nothing to compare with";
}

std::string outcome_text(const Decision& d, std::size_t first, std::size_t standard, const Comparison& by) {
  if (d.winner != standard) {
    const double ratio = by.value(standard) / by.value(d.winner);
    return fmt::format("{:.{}f}x {} ({})", ratio, ratio < 1.01 ? 4 : 2, better_text(by.objective), p_text(d.p_value));
  }
  if (standard == first) return "the default is the best";
  if (d.certified)
    return fmt::format("not distinguishable from the default ({} for the {}), so the default wins",
                       p_text(by.p_beats(first, standard)), best_text(by.objective));
  return "too few rounds to distinguish any configuration from the default, so the default wins";
}

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
  const std::vector<std::size_t> in = comparable(finalists, objective);
  if (in.empty()) return std::nullopt;
  const Comparison by{finalists, objective};
  const std::size_t first = best_of(in, by);
  const auto found = std::find_if(in.begin(), in.end(), [&](std::size_t i) { return finalists[i].is_default; });
  const std::optional<std::size_t> standard = found == in.end() ? std::nullopt : std::optional(*found);

  Decision d;
  for (const std::size_t i : in)
    if (i == first || by.p_beats(first, i) >= kSignificance) d.tie_set.push_back(i);
  d.certified = samples_of(finalists[first], objective).size() >= kMinRounds;
  d.winner = choose_winner(d.tie_set, first, standard, by);
  set_times(d, finalists[d.winner], sm_clock_mhz);
  if (!standard) {
    d.outcome = outcome_without_default(finalists);
    return d;
  }
  d.default_us = beside_winner_us(finalists[*standard], finalists[d.winner]);
  if (d.winner != *standard) d.p_value = by.p_beats(d.winner, *standard);
  d.outcome = outcome_text(d, first, *standard, by);
  return d;
}

} // namespace warptune
