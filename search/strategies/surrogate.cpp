// Bayesian optimisation (Jones, Schonlau, Welch 1998): a Gaussian process over the log times, or over how they deviate
// from the author's estimates, gives the expected improvement of each candidate. Configurations in flight count with
// their expected times, so there may be any number.
#include "search/ask_tell.h"
#include "search/author_estimates.h"
#include "search/best_expected.h"
#include "search/first_points.h"
#include "search/kernel_lengths.h"
#include "search/moves.h"
#include "search/pool_posterior.h"
#include "search/strategy_table.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>

namespace warptune {
namespace {

constexpr std::size_t kPool = 1500;    // candidates that are compared, at most
constexpr std::size_t kFitted = 96;    // points that the lengths are fitted to, at most
constexpr std::size_t kModelled = 400; // points of the posterior, at most
constexpr double kRefitGrowth = 1.3;   // growth of the number of points that causes the next fit
constexpr int kFitSteps = 12;
constexpr std::size_t kExpected = 200;    // configurations with the best expected times: always candidates
constexpr std::size_t kExploitFirst = 10; // proposals of the model before it explores
constexpr double kOptimism = 4;           // standard deviations below the mean, when exploring
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kFailedQuantile = 0.75; // a failure counts as this quantile of the measured times, at least

struct Known {
  ConfigIndex index;
  double log_time; // infinity: failed; in flight: the time that the model expects, NaN without a model
  bool observed;
  double estimate; // by the author, of the log time; NaN: none
};

// log of E[max(best - y, 0)] for y normal, in units of its standard deviation: z = (best - mean) / sd. The tail uses
// the Mills ratio, because the two terms would cancel there.
double log_expected_improvement(double z) {
  constexpr double kInverseRoot2Pi = 0.3989422804014327, kLogRoot2Pi = 0.9189385332046727;
  if (z > -5) return std::log(z * 0.5 * std::erfc(-z * M_SQRT1_2) + kInverseRoot2Pi * std::exp(-z * z / 2));
  return -z * z / 2 - kLogRoot2Pi - 2 * std::log(-z);
}

class Surrogate {
 public:
  Surrogate(const StrategySetup& setup, Archive& archive)
      : space_(setup.space), archive_(archive), draws_(setup.seed, 1), moves_(setup.space, draws_),
        features_(setup.space, setup.knowledge), initial_(static_cast<std::size_t>(setup.options.at("initial"))),
        explore_every_(static_cast<std::size_t>(setup.options.at("explore"))),
        expected_(best_expected(setup.space, setup.knowledge, kExpected, draws_)),
        estimates_(setup.knowledge, !expected_.empty() && setup.knowledge.expected_by_author &&
                                        setup.knowledge.expected_by_author(expected_.front())),
        first_(setup.space, features_, setup.knowledge, estimates_, archive, expected_, initial_, draws_) {
    lengths_.log_length.reserve(features_.size());
    for (const Features::Scale& scale : features_.scales()) lengths_.log_length.push_back(scale.log_mean);
  }

  std::optional<ConfigIndex> next() {
    if (known_.size() < initial_ || archive_.observed() < 2) return remember(first_.next(known_.size()));
    expected_log_time_ = kUnknown;
    if (features_.size() == 0 || !archive_.best()) return remember(archive_.draw());
    if (!posterior_ || known_.size() >= refit_at_) rebuild();
    return remember(most_promising());
  }

  void learn(const Observation& observation) {
    const double time = log_time(observation);
    const auto known = std::find_if(known_.begin() + static_cast<std::ptrdiff_t>(settled_), known_.end(),
                                    [&](const Known& k) { return k.index == observation.index && !k.observed; });
    if (known != known_.end()) {
      known->log_time = time;
      known->observed = true;
    } else {
      known_.push_back({observation.index, time, true, estimates_.log_time(observation.index)});
      if (posterior_) model(known_.size() - 1);
    }
    while (settled_ < known_.size() && known_[settled_].observed) ++settled_;
    weigh(observation.index, std::isfinite(time));
  }

  std::optional<double> expected_improvement() const { return expected_improvement_; }

 private:
  // A proposal counts at once, with the time that the model expects.
  std::optional<ConfigIndex> remember(std::optional<ConfigIndex> index) {
    if (!index) return index;
    known_.push_back({*index, expected_log_time_, false, estimates_.log_time(*index)});
    if (posterior_) model(known_.size() - 1);
    return index;
  }

  void model(std::size_t known) {
    point_.resize(features_.size());
    features_.encode(known_[known].index, point_);
    posterior_->add(point_);
    modelled_.push_back(known);
    if (const auto row = pool_row_.find(known_[known].index); row != pool_row_.end()) taken_[row->second] = true;
  }

  // Adds the similarity of each candidate to this configuration. The ratio of the two sums estimates the probability
  // that a candidate succeeds.
  void weigh(ConfigIndex index, bool succeeded) {
    any_failed_ = any_failed_ || !succeeded;
    if (!posterior_) return;
    point_.resize(features_.size());
    features_.encode(index, point_);
    posterior_->correlations(point_, likeness_);
    for (std::size_t c = 0; c < likeness_.size(); ++c) {
      like_all_[c] += likeness_[c];
      if (succeeded) like_succeeded_[c] += likeness_[c];
    }
  }

  // The model describes how log times deviate from this: the author's estimate or, without one, others_.
  double base(double estimate) const { return std::isfinite(estimate) ? estimate : others_; }

  // Configurations without an estimate have one base: the mean of their log times.
  void place_others() {
    if (!estimates_.exist()) return;
    double sum = 0, count = 0;
    for (const Known& known : known_)
      if (known.observed && std::isfinite(known.log_time) && !std::isfinite(known.estimate))
        sum += known.log_time, ++count;
    others_ = count > 0 ? sum / count : archive_.best_log_time();
  }

  static double quantile(std::vector<double>& values) {
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(kFailedQuantile * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  // Log times of the points minus base(), standardised. Failures and configurations in flight get estimates of them.
  void standardise(const std::vector<std::size_t>& which, std::vector<double>& values) {
    place_others();
    std::vector<double> succeeded, log_times;
    for (const std::size_t k : which) {
      if (!known_[k].observed || !std::isfinite(known_[k].log_time)) continue;
      log_times.push_back(known_[k].log_time);
      succeeded.push_back(known_[k].log_time - base(known_[k].estimate));
    }
    assert(!succeeded.empty()); // there is a best, and select() takes the fastest
    const double failed = quantile(succeeded), failed_log_time = quantile(log_times);
    const auto middle = succeeded.begin() + static_cast<std::ptrdiff_t>(succeeded.size() / 2);
    std::nth_element(succeeded.begin(), middle, succeeded.end());
    const double median = *middle;
    values.clear();
    double sum = 0, squares = 0;
    for (const std::size_t k : which) {
      const double log_time = known_[k].log_time;
      const double from = base(known_[k].estimate);
      values.push_back(std::isinf(log_time)   ? std::max(failed, failed_log_time - from)
                       : std::isnan(log_time) ? median
                                              : log_time - from);
      sum += values.back();
    }
    mean_ = sum / static_cast<double>(values.size());
    for (const double v : values) squares += (v - mean_) * (v - mean_);
    sd_ = std::max(std::sqrt(squares / static_cast<double>(values.size())), 1e-9);
    for (double& v : values) v = (v - mean_) / sd_;
  }

  // Selects `count` points: one half are the fastest, the other half are random.
  std::vector<std::size_t> select(std::size_t count) {
    std::vector<std::size_t> which(known_.size());
    for (std::size_t k = 0; k < which.size(); ++k) which[k] = k;
    if (which.size() <= count) return which;
    std::stable_sort(which.begin(), which.end(), [this](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    for (std::size_t k = count / 2; k < count; ++k) std::swap(which[k], which[k + draws_.below(which.size() - k)]);
    which.resize(count);
    std::sort(which.begin(), which.end());
    return which;
  }

  // Points in flight rank last, so that they do not displace observed ones.
  double rank(std::size_t k) const {
    return known_[k].observed ? known_[k].log_time : std::numeric_limits<double>::infinity();
  }

  void rebuild() {
    std::vector<std::size_t> fitted = select(kFitted);
    std::erase_if(fitted, [this](std::size_t k) { return !known_[k].observed; });
    Points points{features_.size(), std::vector<float>(fitted.size() * features_.size())};
    for (std::size_t i = 0; i < fitted.size(); ++i)
      features_.encode(known_[fitted[i]].index, std::span(points.rows).subspan(i * features_.size(), features_.size()));
    std::vector<double> values;
    standardise(fitted, values);
    lengths_ = fit_lengths(points, values, features_.scales(), std::move(lengths_), kFitSteps);
    fill_pool();
    const std::vector<std::size_t> modelled = select(kModelled);
    modelled_.clear();
    for (const std::size_t k : modelled) model(k);
    for (const Known& known : known_)
      if (known.observed) weigh(known.index, std::isfinite(known.log_time));
    const auto grown = static_cast<std::size_t>(static_cast<double>(known_.size()) * kRefitGrowth);
    refit_at_ = std::min(std::max(grown, known_.size() + 4), known_.size() + kModelled / 4);
  }

  // A small space: all configurations that are left. A large one: those with the best expected times, neighbours of the
  // fastest, their neighbours, and random ones.
  void fill_pool() {
    pool_.clear();
    pool_row_.clear();
    const auto add = [this](ConfigIndex index) {
      if (pool_.size() >= kPool || archive_.visited(index)) return;
      if (pool_row_.emplace(index, pool_.size()).second) pool_.push_back(index);
    };
    if (space_.size() <= static_cast<std::int64_t>(kPool)) {
      for (ConfigIndex i = 0; i < space_.size(); ++i) add(i);
    } else {
      constexpr std::size_t kBest = 8, kBestTwice = 3, kStepsTwice = 40, kSecondSteps = 12;
      for (const ConfigIndex i : expected_) add(i);
      const std::vector<std::size_t> fastest = fastest_known(kBest);
      std::vector<ConfigIndex> near, farther;
      for (std::size_t b = 0; b < fastest.size(); ++b) {
        moves_.neighbours(known_[fastest[b]].index, SearchSpace::Neighbours::hamming, near);
        for (const ConfigIndex i : near) add(i);
        for (std::size_t s = 0; b < kBestTwice && s < kStepsTwice && s < near.size(); ++s) {
          moves_.neighbours(near[s], SearchSpace::Neighbours::hamming, farther);
          for (std::size_t t = 0; t < farther.size() && t < kSecondSteps; ++t) add(farther[t]);
        }
      }
      for (std::size_t tries = 0; pool_.size() < kPool && tries < 3 * kPool; ++tries)
        add(static_cast<ConfigIndex>(draws_.below(static_cast<std::size_t>(space_.size()))));
    }
    std::vector<std::vector<float>> columns(features_.size(), std::vector<float>(pool_.size()));
    point_.resize(features_.size());
    for (std::size_t c = 0; c < pool_.size(); ++c) {
      features_.encode(pool_[c], point_);
      for (std::size_t f = 0; f < point_.size(); ++f) columns[f][c] = point_[f];
    }
    pool_estimates_.clear();
    for (const ConfigIndex index : pool_) pool_estimates_.push_back(estimates_.log_time(index));
    posterior_.emplace(lengths_, std::move(columns));
    taken_.assign(pool_.size(), false);
    like_all_.assign(pool_.size(), 0);
    like_succeeded_.assign(pool_.size(), 0);
  }

  std::vector<std::size_t> fastest_known(std::size_t count) const {
    std::vector<std::size_t> which;
    for (std::size_t k = 0; k < known_.size(); ++k)
      if (known_[k].observed && std::isfinite(known_[k].log_time)) which.push_back(k);
    count = std::min(count, which.size());
    std::partial_sort(which.begin(), which.begin() + static_cast<std::ptrdiff_t>(count), which.end(),
                      [this](std::size_t a, std::size_t b) { return known_[a].log_time < known_[b].log_time; });
    which.resize(count);
    return which;
  }

  std::optional<ConfigIndex> most_promising() {
    standardise(modelled_, values_);
    posterior_->means(values_, means_);
    const double best = archive_.best_log_time();
    const bool explore = explore_every_ > 0 && ++asked_ > kExploitFirst && asked_ % explore_every_ == 0;
    std::optional<std::size_t> chosen;
    double highest = 0, improvement = 0;
    for (std::size_t c = 0; c < pool_.size(); ++c) {
      if (taken_[c]) continue;
      const double sd = std::sqrt(std::max(static_cast<double>(posterior_->variances()[c]), 1e-10));
      const double succeeds = any_failed_ ? std::min((like_succeeded_[c] + 0.5) / (like_all_[c] + 0.55), 1.0) : 1;
      const double better = (best - mean_ - base(pool_estimates_[c])) / sd_ - means_[c]; // than the best, by the mean
      const double gain = log_expected_improvement(better / sd) + std::log(sd) + std::log(succeeds);
      improvement = std::max(improvement, std::exp(gain));
      const double score = explore ? kOptimism * sd + better + std::log(succeeds) : gain;
      if (chosen && score <= highest) continue;
      chosen = c;
      highest = score;
    }
    if (!chosen) {
      posterior_.reset(); // the pool is used up
      return archive_.draw();
    }
    expected_improvement_ = 1 - std::exp(-improvement * sd_);
    expected_log_time_ = means_[*chosen] * sd_ + mean_ + base(pool_estimates_[*chosen]);
    return pool_[*chosen];
  }

  const SearchSpace& space_;
  Archive& archive_;
  Draws draws_;
  Moves moves_;
  Features features_;
  std::size_t initial_, explore_every_;
  std::vector<ConfigIndex> expected_;
  AuthorEstimates estimates_;
  FirstPoints first_;
  std::size_t asked_ = 0, refit_at_ = 0;

  std::vector<Known> known_;
  std::size_t settled_ = 0; // all points before this index are observed
  bool any_failed_ = false;
  KernelLengths lengths_;
  double mean_ = 0, sd_ = 1, others_ = 0, expected_log_time_ = kUnknown;
  std::optional<double> expected_improvement_;

  std::optional<PoolPosterior> posterior_;
  std::vector<std::size_t> modelled_; // indices into known_, in the order of the posterior
  std::vector<ConfigIndex> pool_;
  std::unordered_map<ConfigIndex, std::size_t> pool_row_;
  std::vector<bool> taken_;
  std::vector<float> like_all_, like_succeeded_, likeness_, means_, point_;
  std::vector<double> values_, pool_estimates_;
};

} // namespace

WT_STRATEGY(surrogate) {
  return {"surrogate",
          "Bayesian optimisation with a Gaussian process and expected improvement",
          {{"initial", "configurations spread over the space, tried before the model proposes any", 8, 2, 1000, true},
           {"explore", "every N-th proposal is the promising candidate with the most uncertain prediction; 0: never", 4,
            0, 1000, true}},
          ask_tell<Surrogate>};
}

} // namespace warptune
