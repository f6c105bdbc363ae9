#include "replay/strategy_replay.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Configuration i takes times_ms[i]; 0: it failed. Two samples each, and a second to evaluate.
RecordedSpace space_of_times(const std::vector<double>& times_ms) {
  RecordedSpaceBuilder builder;
  builder.header.name = "made";
  EXPECT_TRUE(builder.add_param("i"));
  for (std::size_t i = 0; i < times_ms.size(); ++i) {
    RecordedOutcome outcome;
    outcome.status = times_ms[i] > 0 ? TrialStatus::ok : TrialStatus::launch_failed;
    if (times_ms[i] > 0) outcome.time_ms = times_ms[i], outcome.samples_ms = {times_ms[i] * 2, times_ms[i] * 3};
    outcome.benchmark_ms = 1000;
    const std::int32_t at = builder.value(0, {ParamLabel::Kind::integer, std::to_string(i)});
    EXPECT_TRUE(builder.add_row({at}, std::move(outcome)));
  }
  auto space = builder.finish();
  EXPECT_TRUE(space);
  return std::move(*space);
}

std::vector<std::pair<std::int64_t, double>> steps(const ReplayRun& run) {
  std::vector<std::pair<std::int64_t, double>> out;
  for (const auto& i : run.trace.improvements) out.emplace_back(i.evaluations, i.best_ms);
  return out;
}

TEST(StrategyReplay, OnlyImprovementsAreListedAndFailuresCount) {
  const RecordedSpace space = space_of_times({0, 5, 6, 3, 3, 0, 1});
  const auto run = replay(space, {"exhaustive", {}}, 0);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_THAT(steps(*run), ElementsAre(std::pair(2, 5.0), std::pair(4, 3.0), std::pair(7, 1.0)));
  EXPECT_EQ(run->evaluations, 7);
  EXPECT_EQ(run->trace.space, "made");
  EXPECT_EQ(run->trace.improvements[1].spent_s, 4);
  EXPECT_EQ(run->trace.spent_s, 7);
}

TEST(StrategyReplay, TheBudgetEndsIt) {
  const auto run = replay(space_of_times({9, 8, 7, 6}), {"exhaustive", {}}, 0, {3, 1, false});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->evaluations, 3);
  EXPECT_EQ(run->trace.improvements.back().best_ms, 7);
  EXPECT_EQ(run->trace.budget, 3);
  const auto all = replay(space_of_times({9, 8, 7, 6}), {"exhaustive", {}}, 0, {4, 1, false});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->trace.budget, 0) << "the space ended it";
}

TEST(StrategyReplay, NoiseHidesTheTimeFromTheStrategyNotFromTheTrace) {
  ReplayOptions noisy;
  noisy.noise = true;
  const auto run = replay(space_of_times({9, 8, 7, 6}), {"exhaustive", {}}, 3, noisy);
  ASSERT_TRUE(run);
  EXPECT_THAT(steps(*run), ElementsAre(std::pair(1, 9.0), std::pair(2, 8.0), std::pair(3, 7.0), std::pair(4, 6.0)));
}

TEST(StrategyReplay, BatchesChangeNothingForOneThatDoesNotLearn) {
  const RecordedSpace space = space_of_times({4, 7, 0, 3, 9, 2, 8, 5, 6});
  const auto one = replay(space, {"random", {}}, 5);
  ASSERT_TRUE(one);
  for (const std::size_t batch : {2u, 7u, 64u}) {
    const auto many = replay(space, {"random", {}}, 5, {400, batch, false});
    ASSERT_TRUE(many) << many.error().message;
    EXPECT_EQ(steps(*many), steps(*one)) << batch;
  }
}

TEST(StrategyReplay, UnknownStrategiesAndOptionsAreRefused) {
  const RecordedSpace space = space_of_times({1});
  const auto unknown = replay(space, {"randon", {}}, 0);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("random"));
  const auto option = replay(space, {"random", {{"size", 3.0}}}, 0);
  ASSERT_FALSE(option);
  EXPECT_EQ(option.error().kind, ErrorKind::bad_input);
}

TEST(StrategyReplay, ThreadsDoNotChangeTheRuns) {
  std::vector<double> times;
  for (int i = 0; i < 300; ++i) times.push_back((i * 7919) % 1009 + 1);
  const RecordedSpace space = space_of_times(times);
  ReplayPlan plan;
  plan.spaces = {&space};
  plan.strategies = {{"exhaustive", {}}, {"random", {}}};
  plan.seeds = 9;
  const std::atomic<bool> stop{false};
  std::vector<std::string> texts;
  for (const int jobs : {1, 4}) {
    plan.jobs = jobs;
    std::size_t shown = 0;
    const auto runs = replay_all(
        plan, [&](std::size_t done, std::size_t) { shown = done; }, stop);
    ASSERT_TRUE(runs) << runs.error().message;
    EXPECT_EQ(runs->complete.size(), 18u);
    EXPECT_EQ(runs->total, 18u);
    EXPECT_EQ(shown, 18u);
    std::string text;
    for (const ReplayRun& run : runs->complete) text += write_search_trace(run.trace) + "\n";
    texts.push_back(text);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(StrategyReplay, AStopIsHeard) {
  const RecordedSpace space = space_of_times({1, 2});
  ReplayPlan plan;
  plan.spaces = {&space};
  plan.strategies = {{"random", {}}};
  const std::atomic<bool> stop{true};
  const auto runs = replay_all(
      plan, [](std::size_t, std::size_t) {}, stop);
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_TRUE(runs->complete.empty());
  EXPECT_EQ(runs->total, 30u);
  ReplayOptions options;
  options.stop = &stop;
  const auto run = replay(space, {"random", {}}, 0, options);
  ASSERT_FALSE(run) << "within a run as well";
  EXPECT_EQ(run.error().kind, ErrorKind::interrupted);
}

TEST(StrategyReplay, WhatIsCompleteAtAStopIsKept) {
  std::vector<double> times;
  for (int i = 0; i < 300; ++i) times.push_back((i * 7919) % 1009 + 1);
  const RecordedSpace space = space_of_times(times);
  ReplayPlan plan;
  plan.spaces = {&space};
  plan.strategies = {{"random", {}}};
  plan.seeds = 100'000; // takes minutes
  plan.jobs = 2;
  std::atomic<bool> stop{false};
  const auto runs = replay_all(
      plan, [&](std::size_t, std::size_t) { stop = true; }, stop);
  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_FALSE(runs->complete.empty());
  EXPECT_LT(runs->complete.size(), runs->total);
  for (const ReplayRun& run : runs->complete) EXPECT_EQ(run.evaluations, 300) << run.trace.seed;
}

TEST(StrategyReplay, MemoryThatRunsOutInAThreadIsAnError) {
  const RecordedSpace space = space_of_times({9, 8, 7, 6, 5, 4});
  ReplayPlan plan;
  plan.spaces = {&space};
  plan.strategies = {{std::string(kDefaultStrategy), {}}};
  plan.jobs = 2;
  plan.knowledge.resize(1);
  plan.knowledge[0].expected_log_time = [](ConfigIndex) -> double { throw std::bad_alloc(); };
  const std::atomic<bool> stop{false};
  const auto runs = replay_all(
      plan, [](std::size_t, std::size_t) {}, stop);
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().kind, ErrorKind::internal);
  EXPECT_THAT(runs.error().message,
              HasSubstr("out of memory while " + std::string(kDefaultStrategy) + " replays made"));
}

// A strategy that uses its knowledge tries the hinted configuration first.
TEST(StrategyReplay, AStrategyIsToldWhatIsKnownOfEachSpace) {
  const RecordedSpace first = space_of_times({9, 8, 7, 6, 5, 4}), second = space_of_times({9, 8, 7, 6, 5, 4});
  ReplayPlan plan;
  plan.spaces = {&first, &second};
  plan.strategies = {{std::string(kDefaultStrategy), {}}};
  plan.seeds = 1;
  plan.options.budget = 1;
  for (const ConfigIndex hinted : {5, 2}) {
    Knowledge told;
    told.hints = {{hinted, 1, 1}};
    plan.knowledge = {told, told};
    plan.knowledge.back().hints.front().index = 3;
    const std::atomic<bool> stop{false};
    const auto runs = replay_all(
        plan, [](std::size_t, std::size_t) {}, stop);
    ASSERT_TRUE(runs) << runs.error().message;
    EXPECT_EQ(runs->complete[0].trace.improvements.front().best_ms, first.at(hinted).time_ms);
    EXPECT_EQ(runs->complete[1].trace.improvements.front().best_ms, second.at(3).time_ms);
  }
}

} // namespace
} // namespace warptune
