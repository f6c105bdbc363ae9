// Prior knowledge compared with the shipped recordings: it must help on most of them.
#include "recording/recorded_params.h"
#include "recording/recorded_space_file.h"
#include "recording/recorded_space_recording.h"
#include "replay/recorded_problem.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace warptune {
namespace {

const std::vector<RecordedProblem>& recorded() {
  static const std::vector<RecordedProblem> all = [] {
    std::vector<RecordedProblem> problems;
    for (const RecordingEntry& entry : list_recordings(recordings_directory()))
      if (auto problem = RecordedProblem::load(entry.file.string())) problems.push_back(std::move(*problem));
    return problems;
  }();
  return all;
}

TEST(RecordedKnowledge, TheRecordingsAreThere) { EXPECT_GE(recorded().size(), 19U); }

// Library calls, and implementations without an estimate, have no expected time.
bool has_no_time(const RecordedProblem& p, ConfigIndex index) {
  const Implementation& own = p.spec().implementation(p.space().config(index));
  return !own.library_calls.empty() || !own.is_estimated;
}

// The share of distinguishable pairs of configurations that `told` ranks correctly.
double ranked_right(const RecordedProblem& p, const std::function<double(ConfigIndex)>& told) {
  std::vector<double> expected; // from the fastest configuration to the slowest
  for (const auto& [us, index] : p.ranking()) {
    expected.push_back(told(index));
    EXPECT_TRUE(std::isfinite(expected.back()) || has_no_time(p, index)) << p.name();
  }
  std::int64_t right = 0, wrong = 0;
  for (std::size_t i = 0; i < expected.size(); i += 7)
    for (std::size_t j = i + 1; j < expected.size(); j += 5) {
      right += expected[i] < expected[j] ? 1 : 0;
      wrong += expected[i] > expected[j] ? 1 : 0;
    }
  return static_cast<double>(right) / static_cast<double>(std::max<std::int64_t>(right + wrong, 1));
}

double by_prior(const RecordedProblem& p) {
  return ranked_right(p, [&](ConfigIndex i) { return p.model()->expected_log_time(p.space().config(i)); });
}

// For all but one in fourteen: small reductions, whose time is that of launches, and problems most of whose
// configurations reach the same roof. Matrix products have an author's estimate.
TEST(RecordedKnowledge, ExpectedTimesRankBetterThanChance) {
  int problems = 0, better = 0, products = 0, better_products = 0;
  std::string worse;
  for (const RecordedProblem& p : recorded()) {
    const double right = by_prior(p);
    const bool is_product = p.spec().name == "gemm";
    ++(is_product ? products : problems);
    (is_product ? better_products : better) += right > 0.5 ? 1 : 0;
    EXPECT_GT(right, 0.35) << p.name();
    if (right <= 0.5) worse += p.name() + "; ";
  }
  EXPECT_GE(better, problems - problems / 14) << worse;
  EXPECT_GE(2 * better_products, products);
}

// The author's estimate for gemm's tiles, rings and clusters is better than a roofline, and the fastest of the first 20
// is nearly the optimum.
TEST(RecordedKnowledge, TheAuthorsEstimateRanksProducts) {
  int products = 0;
  double sum = 0;
  for (const RecordedProblem& p : recorded()) {
    if (p.spec().name != "gemm") continue;
    ++products;
    const double right = by_prior(p);
    EXPECT_GT(right, 0.7) << p.name();
    sum += right;
    KernelSpec without = p.spec();
    for (Implementation& implementation : without.implementations) implementation.expected_us.reset();
    const TimeModel roofline(without, p.problem(), p.recording().device);
    const double by_roofline =
        ranked_right(p, [&](ConfigIndex i) { return roofline.expected_log_time(p.space().config(i)); });
    EXPECT_GT(right, by_roofline) << p.name();
    std::vector<std::pair<double, double>> told; // expected, measured
    for (const auto& [us, index] : p.ranking())
      if (!has_no_time(p, index)) told.emplace_back(p.model()->expected_log_time(p.space().config(index)), us);
    ASSERT_GT(told.size(), 20U);
    std::sort(told.begin(), told.end());
    double best_us = told.front().second;
    for (std::size_t i = 0; i < 20; ++i) best_us = std::min(best_us, told[i].second);
    EXPECT_GT(p.best_us() / best_us, 0.94) << p.name();
  }
  ASSERT_GE(products, 13);
  EXPECT_GT(sum / products, 0.8) << "on average";
}

// Each problem gets hints from the other problems of its kernel; the best of the first three is nearly the optimum.
TEST(RecordedKnowledge, HintsFromNeighboursAreGood) {
  double with_prior = 0, without = 0;
  int counted = 0;
  const auto share_of_three = [](const RecordedProblem& p, const std::vector<Hint>& hints) {
    double best = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, hints.size()); ++i)
      if (const double us = p.time_us(hints[i].index); us > 0) best = std::max(best, p.best_us() / us);
    return best;
  };
  for (const RecordedProblem& p : recorded()) {
    const Knowledge all = knowledge_of(p, recorded(), {});
    const Knowledge hints = knowledge_of(p, recorded(), {false, true});
    if (all.hints.empty()) continue;
    ++counted;
    EXPECT_FALSE(hints.expected_log_time);
    for (const Hint& hint : all.hints) {
      EXPECT_GE(hint.index, 0);
      EXPECT_LT(hint.index, p.space().size());
      EXPECT_GT(hint.weight, 0);
      EXPECT_LE(hint.weight, 1);
      EXPECT_GE(hint.relative_time, 1);
    }
    with_prior += share_of_three(p, all.hints);
    without += share_of_three(p, hints.hints);
  }
  ASSERT_GT(counted, 15);
  EXPECT_GT(with_prior / counted, 0.93);
  EXPECT_GT(with_prior, without) << "the model of the device is worth something";
}

TEST(RecordedKnowledge, ACopyOfTheSameProblemTellsNothing) {
  const std::vector<RecordedProblem> twice = [] {
    const auto file = list_recordings(recordings_directory()).front().file;
    return std::vector<RecordedProblem>{*RecordedProblem::load(file), *RecordedProblem::load(file)};
  }();
  EXPECT_TRUE(knowledge_of(twice[0], twice, {false, true}).hints.empty());
}

// The same recording as a separate space has other indices, and may lack some valid configurations.
TEST(RecordedKnowledge, IsToldToReplaysAboutTheSameConfigurations) {
  const auto& all = recorded();
  const auto here = std::find_if(all.begin(), all.end(), [](const RecordedProblem& p) {
    return p.name() == "softmax rows=32768,cols=4096;bf16;log=0";
  });
  ASSERT_NE(here, all.end());
  Recording part = here->recording();
  const Config absent = part.trials.front().config;
  part.trials.erase(part.trials.begin());
  describe_params(here->spec(), part);
  const auto space = space_of(part);
  ASSERT_TRUE(space) << space.error().message;
  const Knowledge own = knowledge_of(*here, all, {}), told = knowledge_for(*space, *here, own);
  for (ConfigIndex i = 0; i < here->space().size(); ++i) {
    Positions at;
    for (const std::int64_t value : here->space().config(i)) {
      const auto& labels = space->params[at.size()].values;
      const std::string text = here->spec().params[at.size()].text_of(value);
      const auto found =
          std::find_if(labels.begin(), labels.end(), [&](const ParamLabel& label) { return label.text == text; });
      at.push_back(static_cast<std::int32_t>(found - labels.begin()));
    }
    const auto there = space->space.find_positions(at);
    ASSERT_EQ(there.has_value(), here->space().config(i) != absent && here->trial(i) != nullptr);
    if (!there) continue;
    EXPECT_EQ(told.expected_log_time(*there), own.expected_log_time(i));
  }
  std::vector<double> hinted, told_us;
  for (const Hint& hint : own.hints)
    if (here->trial(hint.index) != nullptr && here->space().config(hint.index) != absent)
      hinted.push_back(here->time_us(hint.index));
  for (const Hint& hint : told.hints) {
    const RecordedOutcome& outcome = space->at(hint.index);
    told_us.push_back(outcome.status == TrialStatus::ok ? outcome.time_ms * 1e3 : 0);
  }
  ASSERT_EQ(told_us.size(), hinted.size());
  ASSERT_FALSE(hinted.empty());
  for (std::size_t h = 0; h < hinted.size(); ++h) EXPECT_NEAR(told_us[h], hinted[h], 1e-6 * hinted[h]) << h;
}

// As `replay --knowledge` reads it: the texts of configurations in the file are those of the spec, also for params with
// labels.
TEST(RecordedKnowledge, EveryRecordedConfigurationIsFoundBehindItsTexts) {
  const auto entries = list_recordings(recordings_directory());
  ASSERT_FALSE(entries.empty());
  for (const RecordingEntry& entry : entries) {
    const auto space = load_recorded_space(entry.file);
    const auto here = RecordedProblem::load(entry.file);
    ASSERT_TRUE(space && here) << entry.file;
    Knowledge own;
    own.expected_log_time = [](ConfigIndex index) { return static_cast<double>(index); };
    own.expected_by_author = [](ConfigIndex index) { return index % 2 == 1; };
    const Knowledge told = knowledge_for(*space, *here, std::move(own));
    std::int64_t found = 0;
    for (ConfigIndex i = 0; i < space->space.size(); ++i) {
      const double index = told.expected_log_time(i);
      if (std::isnan(index)) {
        EXPECT_FALSE(told.expected_by_author(i));
        continue;
      }
      ++found;
      const auto there = static_cast<ConfigIndex>(index);
      EXPECT_EQ(told.expected_by_author(i), there % 2 == 1);
      const double us = here->time_us(there);
      const RecordedOutcome& outcome = space->at(i);
      EXPECT_NEAR(us, outcome.status == TrialStatus::ok ? outcome.time_ms * 1e3 : 0, 1e-6 * us) << entry.file << i;
    }
    std::int64_t recorded = 0;
    for (ConfigIndex i = 0; i < here->space().size(); ++i) recorded += here->trial(i) != nullptr ? 1 : 0;
    EXPECT_EQ(found, recorded) << entry.file;
  }
}

// A recording from before a param moved, or with other labels.
TEST(RecordedKnowledge, ParamsOfARecordingMayBeInAnotherOrder) {
  const auto& all = recorded();
  const auto here =
      std::find_if(all.begin(), all.end(), [](const RecordedProblem& p) { return p.spec().name == "gemm"; });
  ASSERT_NE(here, all.end());
  Recording turned = here->recording();
  describe_params(here->spec(), turned);
  const Recording straight = turned;
  std::reverse(turned.param_names.begin(), turned.param_names.end());
  std::reverse(turned.param_labels.begin(), turned.param_labels.end());
  for (Trial& trial : turned.trials) std::reverse(trial.config.begin(), trial.config.end());
  Recording renamed = straight; // the spec lacks one of the labels: its configurations have no expected times
  const auto cluster = static_cast<std::size_t>(
      std::find(renamed.param_names.begin(), renamed.param_names.end(), "CLUSTER") - renamed.param_names.begin());
  ASSERT_LT(cluster, renamed.param_names.size());
  for (std::string& label : renamed.param_labels[cluster])
    if (label == "rows") label = "lines";
  const auto sum_of = [&](const Recording& recording) {
    const auto space = space_of(recording);
    EXPECT_TRUE(space) << space.error().message;
    Knowledge own = knowledge_of(*here, all, {});
    EXPECT_FALSE(own.hints.empty());
    const Knowledge told = knowledge_for(*space, *here, own);
    std::multiset<std::pair<double, double>> both; // expected and measured; -1: it failed (NaN differs from itself)
    const auto measured = [&](ConfigIndex i) {
      const RecordedOutcome& outcome = space->at(i);
      return outcome.status == TrialStatus::ok ? outcome.time_ms : -1;
    };
    for (ConfigIndex i = 0; i < space->space.size(); ++i)
      if (told.expected_by_author(i)) both.emplace(told.expected_log_time(i), measured(i));
    for (const Hint& hint : told.hints) both.emplace(-hint.relative_time, measured(hint.index));
    return both;
  };
  const auto known = sum_of(straight);
  EXPECT_GT(known.size(), 100U);
  EXPECT_EQ(sum_of(turned), known);
  const auto fewer = sum_of(renamed);
  EXPECT_LT(fewer.size(), known.size());
  EXPECT_TRUE(std::includes(known.begin(), known.end(), fewer.begin(), fewer.end()));
}

} // namespace
} // namespace warptune
