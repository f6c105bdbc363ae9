#include "tuner/budget_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

Budget budget(const std::string& text) {
  auto b = parse_budget(text);
  EXPECT_TRUE(b) << text;
  return b.value_or(Budget{});
}

StopRules target(const std::string& text) {
  StopRules rules;
  EXPECT_TRUE(parse_target(text, rules)) << text;
  return rules;
}
StopRules stop_below(const std::string& text) {
  StopRules rules;
  EXPECT_TRUE(parse_stop_below(text, rules)) << text;
  return rules;
}

TEST(Budget, Kinds) {
  EXPECT_TRUE(budget("").all());
  EXPECT_TRUE(budget("all").all());
  EXPECT_EQ(budget("200").evaluations, 200);
  EXPECT_EQ(budget("30s").seconds, 30);
  EXPECT_DOUBLE_EQ(budget("2.5s").seconds, 2.5);
  EXPECT_EQ(budget("10%").percent, 10);
  EXPECT_EQ(budget("10%").text, "10%");
  EXPECT_EQ(budget("10m").seconds, 600);
  EXPECT_EQ(budget("10m").text, "600s") << "one name for one time";
  EXPECT_EQ(budget("1.5h,200").seconds, 5400);
}

TEST(Budget, Several) {
  const Budget b = budget("200, 30s ,10%");
  EXPECT_EQ(b.evaluations, 200);
  EXPECT_EQ(b.seconds, 30);
  EXPECT_EQ(b.percent, 10);
  EXPECT_EQ(b.text, "200,30s,10%");
  EXPECT_THAT(parse_budget("200,300").error().message,
              ::testing::HasSubstr("'300' is not a budget: a limit of this kind"));
  EXPECT_THAT(parse_budget("200,,30s").error().message, ::testing::HasSubstr("'' is not a budget: it is empty"));
}

TEST(Budget, WhatIsNoBudgetSaysHowToWriteOne) {
  for (const char* text : {"x",     "-1",     "0",    "0s",   "1.5",
                           "2 00",  "101%",   "nan",  "inf",  "s",
                           "%",     "1e999",  "--5",  "1e16", "99999999999999999999",
                           "8785h", "1e300h", "200,", ",",    "200;30s"}) {
    const auto b = parse_budget(text);
    ASSERT_FALSE(b) << text;
    EXPECT_EQ(b.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(b.error().message, ::testing::HasSubstr("write 200"));
  }
}

TEST(Budget, TheLargest) {
  EXPECT_EQ(budget("9007199254740992").evaluations, 0x1p53);
  EXPECT_EQ(budget("8784h").seconds, 366 * 24 * 3600);
}

TEST(Budget, Durations) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("2m"), 120);
  EXPECT_EQ(parse_duration("1h"), 3600);
  for (const char* text : {"", "s", "m", "10x", "2ms", "-", "nan"}) EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(StopRules, Texts) {
  EXPECT_EQ(target("120us").target_us, 120);
  EXPECT_EQ(target("1.5ms").target_us, 1500);
  EXPECT_EQ(target("2s").target_us, 2e6);
  EXPECT_DOUBLE_EQ(target("95%").target_share, 0.95);
  EXPECT_DOUBLE_EQ(stop_below("1%").stop_below, 0.01);
  StopRules both = target("95%");
  EXPECT_TRUE(parse_target("80us", both));
  EXPECT_EQ(both.target_share, 0) << "the later word counts";
  for (const char* text : {"", "120", "us", "0us", "-1us", "nanus", "0%", "101%", "1 us", "fast"}) {
    const auto read = parse_target(text, both);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(read.error().message, ::testing::HasSubstr("write a time, such as 120us"));
  }
  for (const char* text : {"", "1", "0%", "100%", "-1%", "x%"})
    EXPECT_THAT(parse_stop_below(text, both).error().message, ::testing::HasSubstr("such as 1%")) << text;
}

TEST(StopRules, StandInTheDatabaseBehindTheBudget) {
  EXPECT_EQ(ending_text({}, {}), "");
  EXPECT_EQ(ending_text(budget("200"), {}), "200") << "as before there were rules";
  StopRules rules = target("1.5ms");
  EXPECT_EQ(ending_text({}, rules), "target 1500us");
  ASSERT_TRUE(parse_target("95%", rules) && parse_stop_below("0.5%", rules));
  EXPECT_EQ(ending_text(budget("200,30s"), rules), "200,30s; target 95%; stop below 0.5%");
}

TEST(BudgetMeter, Limits) {
  const auto limit = [](const std::string& text, std::int64_t size) {
    return BudgetMeter(budget(text), {}, size, 0).limit();
  };
  EXPECT_EQ(limit("", 400), 400);
  EXPECT_EQ(limit("200", 400), 200);
  EXPECT_EQ(limit("1000", 400), 400);
  EXPECT_EQ(limit("10%", 401), 41);
  EXPECT_EQ(limit("0.01%", 401), 1);
  EXPECT_EQ(limit("5s", 400), 400);
  EXPECT_EQ(limit("200,10%", 401), 41) << "whichever comes first";
  EXPECT_EQ(limit("20,10%,5s", 401), 20);
}

TEST(BudgetMeter, SecondsGoOnWhereTheInterruptedRunStopped) {
  const auto over = [](const std::string& text, double spent_s, double elapsed_s) {
    return BudgetMeter(budget(text), {}, 400, spent_s).out_of_time(elapsed_s);
  };
  EXPECT_FALSE(over("5s", 0, 4));
  EXPECT_TRUE(over("5s", 0, 5));
  EXPECT_TRUE(over("5s", 3, 2));
  EXPECT_FALSE(over("200", 0, 1e9));
  EXPECT_TRUE(over("200,5s", 0, 5));
}

// A strategy with a chosen forecast.
struct Oracle final : Strategy {
  std::optional<double> forecast;
  std::vector<ConfigIndex> propose(std::size_t) override { return {}; }
  void observe(const Observation&) override {}
  std::optional<double> expected_improvement() const override { return forecast; }
};

TEST(BudgetMeter, TargetTime) {
  BudgetMeter meter({}, target("100us"), 400, 0);
  const Oracle strategy;
  meter.observe({0, true, 100.1}, strategy);
  meter.observe({1, false, 0}, strategy);
  EXPECT_FALSE(meter.satisfied()) << "what failed has no time";
  meter.observe({2, true, 100}, strategy);
  EXPECT_EQ(meter.satisfied(), Ending::target);
}

TEST(BudgetMeter, TargetShareNeedsARoofline) {
  BudgetMeter meter({}, target("80%"), 400, 0);
  const Oracle strategy;
  meter.observe({0, true, 1e-3}, strategy);
  EXPECT_FALSE(meter.satisfied());
  meter.set_floor(80);
  meter.observe({1, true, 200}, strategy);
  EXPECT_EQ(meter.satisfied(), Ending::target) << "what was seen before the roofs were known counts, too";
  BudgetMeter other({}, target("80%"), 400, 0);
  other.set_floor(80);
  other.observe({0, true, 101}, strategy);
  EXPECT_FALSE(other.satisfied());
  other.observe({1, true, 100}, strategy);
  EXPECT_EQ(other.satisfied(), Ending::target);
}

// Observes until the meter is satisfied, at most `most` times; returns the number of observations.
int observe_until_satisfied(BudgetMeter& meter, const Strategy& strategy, double time_us, int most = 1000) {
  for (int i = 0; i < most; ++i) {
    if (meter.satisfied()) return i;
    meter.observe({i, true, time_us}, strategy);
  }
  return meter.satisfied() ? most : -1;
}

TEST(BudgetMeter, LittleLeftTakesPatience) {
  BudgetMeter meter({}, stop_below("1%"), 4000, 0);
  Oracle strategy;
  EXPECT_EQ(observe_until_satisfied(meter, strategy, 100), -1) << "no forecast";
  EXPECT_FALSE(meter.heard_forecast());
  strategy.forecast = 0.02;
  EXPECT_EQ(observe_until_satisfied(meter, strategy, 100), -1);
  EXPECT_TRUE(meter.heard_forecast());
  strategy.forecast = 0.005;
  EXPECT_EQ(observe_until_satisfied(meter, strategy, 100, 2 * kLearningAhead - 1), -1);
  strategy.forecast = 0.02; // noise: counting starts again
  meter.observe({0, true, 100}, strategy);
  strategy.forecast = 0.005;
  EXPECT_EQ(observe_until_satisfied(meter, strategy, 100), 2 * kLearningAhead);
  EXPECT_EQ(meter.satisfied(), Ending::low_expected_gain);
}

TEST(BudgetMeter, ASurpriseIsWaitedFor) {
  BudgetMeter meter({}, stop_below("1%"), 4000, 0);
  Oracle strategy;
  strategy.forecast = 0.001;
  EXPECT_EQ(observe_until_satisfied(meter, strategy, 100, 2 * kLearningAhead - 1), -1);
  meter.observe({0, true, 90}, strategy);
  EXPECT_FALSE(meter.satisfied());
  EXPECT_EQ(observe_until_satisfied(meter, strategy, 89.9), 2 * kLearningAhead)
      << "a tenth of a percent is no surprise";
}

TEST(CandidatesAhead, GrowWithTheDevices) {
  EXPECT_EQ(candidates_ahead(true, 1), kLearningAhead);
  EXPECT_EQ(candidates_ahead(false, 1), kBlindlyAhead);
  EXPECT_GE(candidates_ahead(true, 16), 64);
  EXPECT_GE(candidates_ahead(false, 64), 64 * 2 * 64) << "two ranges for each device";
}

} // namespace
} // namespace warptune
