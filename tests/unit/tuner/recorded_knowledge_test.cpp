// What is known beforehand, held against the shipped recordings: it must be worth something on most of them.
#include "support/paths.h"
#include "tuner/recorded_problem.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

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

// Of pairs of configurations that are told apart, the share whose faster one is told to be faster.
double ranked_right(const RecordedProblem& p, const std::function<double(ConfigIndex)>& told) {
  const auto ranking = p.ranking();
  std::int64_t right = 0, wrong = 0;
  for (std::size_t i = 0; i < ranking.size(); i += 7)
    for (std::size_t j = i + 1; j < ranking.size(); j += 5) {
      const double faster = told(ranking[i].second), slower = told(ranking[j].second);
      EXPECT_TRUE(std::isfinite(faster)) << p.name();
      right += faster < slower ? 1 : 0;
      wrong += faster > slower ? 1 : 0;
    }
  return static_cast<double>(right) / static_cast<double>(std::max<std::int64_t>(right + wrong, 1));
}

double by_prior(const RecordedProblem& p) {
  return ranked_right(p, [&](ConfigIndex i) { return p.model()->expected_log_time(p.space().config(i)); });
}

// On all but small reductions, whose time is that of launches.
TEST(RecordedKnowledge, ExpectedTimesRankBetterThanChance) {
  int better = 0;
  for (const RecordedProblem& p : recorded()) better += by_prior(p) > 0.5 ? 1 : 0;
  EXPECT_GE(better, static_cast<int>(recorded().size()) - 2);
}

// Tiles that are read badly cost transactions of the L2, whatever the shape: the one thing that the expected time of a
// transpose does not know.
TEST(RecordedKnowledge, CountersOfOtherShapesRankTransposesBetterThanThePrior) {
  constexpr std::size_t kL2 = 1;
  std::vector<double> values(CounterFeatures::names().size());
  int compared = 0;
  double counted = 0, prior = 0;
  for (const RecordedProblem& p : recorded()) {
    if (p.recording().kernel != "transpose") continue;
    const CounterFeatures counters = counters_of(p, recorded());
    ++compared;
    prior += by_prior(p);
    counted += ranked_right(p, [&](ConfigIndex i) {
      counters.fill(i, values);
      return values[kL2];
    });
  }
  ASSERT_GE(compared, 3);
  EXPECT_GT(counted / compared, prior / compared + 0.05);
}

// Each problem gets hints from the others of its kernel; the best of the first three are nearly the optimum.
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
    const Knowledge hints = knowledge_of(p, recorded(), {false, false, true, false});
    if (all.hints.empty()) continue;
    ++counted;
    EXPECT_TRUE(hints.feature_names.empty() && !hints.features && !hints.expected_log_time);
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
  EXPECT_GT(with_prior / counted, 0.937);
  EXPECT_GT(with_prior, without) << "the model of the device is worth something";
}

} // namespace
} // namespace warptune
