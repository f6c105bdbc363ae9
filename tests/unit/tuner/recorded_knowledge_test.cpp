// What is known beforehand, held against the shipped recordings: it must be worth something on most of them.
#include "bench/recorded_problem.h"
#include "support/paths.h"

#include <cmath>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using bench::RecordedProblem;

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

// Of each pair of configurations, the one that should be faster is so more often than not; not on the smallest shapes
// and those of sgemm that are split along k, where the model errs.
TEST(RecordedKnowledge, ExpectedTimesRankBetterThanChance) {
  int better = 0;
  for (const RecordedProblem& p : recorded()) {
    const auto ranking = p.ranking();
    std::int64_t right = 0, wrong = 0;
    for (std::size_t i = 0; i < ranking.size(); i += 7)
      for (std::size_t j = i + 1; j < ranking.size(); j += 5) {
        const double faster = p.model().expected_log_time(p.space().config(ranking[i].second));
        const double slower = p.model().expected_log_time(p.space().config(ranking[j].second));
        ASSERT_TRUE(std::isfinite(faster)) << p.name();
        ++(faster < slower ? right : wrong);
      }
    better += right > wrong ? 1 : 0;
  }
  EXPECT_GE(better, static_cast<int>(0.85 * static_cast<double>(recorded().size())));
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
    const Knowledge all = bench::knowledge_of(p, recorded(), {});
    const Knowledge hints = bench::knowledge_of(p, recorded(), {false, false, true});
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
  EXPECT_GT(with_prior / counted, 0.93);
  EXPECT_GT(with_prior, without) << "the model of the device is worth something";
}

} // namespace
} // namespace warptune
