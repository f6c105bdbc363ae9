#include "interchange/kernel_tuner_cache.h"
#include "interchange/t4_results.h"
#include "support/cache_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Result<RecordedSpace> read_t4(std::string text) { return read_t4_results(text); }

std::string result(int a, const std::string& rest) {
  return fmt::format(R"({{"configuration": {{"a": {}}}, {}}})", a, rest);
}
std::string file(const std::string& results, const std::string& head = "") {
  return "{" + head + R"("results": [)" + results + R"(], "schema_version": "1.0.0"})";
}
const std::string kOk =
    R"("times": {"compilation_time": 5, "runtimes": [1, 2, 4]}, "invalidity": "correct", "correctness": 1)";

TEST(T4Results, ResultsAreRead) {
  const auto space = read_t4(file(
      result(
          16,
          kOk +
              R"(, "timestamp": "now", "measurements": [{"name": "time", "value": 1.5, "unit": ""}, {"name": "GB/s", "value": 7, "unit": "GB/s"}, {"name": "list", "value": [1, 2], "unit": ""}], "objectives": ["time"])") +
          "," + result(8, R"("times": {"compilation": 6, "benchmark": 2}, "invalidity": "compile", "correctness": 0)"),
      R"("metadata": {"timeunit": "miliseconds", "device": "A GPU", "autotuner": "KTT"}, )"));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->device, "A GPU");
  EXPECT_EQ(space->tuner, "KTT");
  EXPECT_THAT(space->space.values()[0], ElementsAre(8, 16)); // sorted, whatever came first
  EXPECT_EQ(space->at(0).status, TrialStatus::compile_failed);
  EXPECT_EQ(space->at(0).spent_ms(), 8);
  EXPECT_EQ(space->at(1).time_ms, 1.5);
  EXPECT_EQ(space->at(1).compile_ms, 5);
  EXPECT_EQ(space->at(1).timestamp, "now");
  EXPECT_THAT(space->at(1).samples_ms, ElementsAre(1, 2, 4));
  ASSERT_EQ(space->metrics.size(), 1u);
  EXPECT_EQ(space->metrics[0].unit, "GB/s");
  EXPECT_THAT(space->at(1).metrics, ElementsAre(std::pair(0, 7.0)));
}

TEST(T4Results, WithoutAMeasurementTheMedianOfTheRuntimesCounts) {
  const auto space = read_t4(file(result(1, kOk)));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->at(0).time_ms, 2);
}

TEST(T4Results, UnitsOfTheFileHoldWhereverTheyStand) {
  const std::string unit = R"("metadata": {"timeunit": "microseconds"})";
  const std::string results = R"("results": [)" + result(1, kOk) + "," +
                              result(2, kOk + R"(, "measurements": [{"name": "time", "value": 3, "unit": "s"}])") +
                              "," + result(4, kOk + R"(, "measurements": [{"name": "time", "value": 5, "unit": ""}])") +
                              "]";
  for (const std::string& text : {"{" + unit + "," + results + "}", "{" + results + "," + unit + "}"}) {
    const auto space = read_t4(text);
    ASSERT_TRUE(space) << space.error().message;
    EXPECT_DOUBLE_EQ(space->at(0).time_ms, 2e-3);
    EXPECT_DOUBLE_EQ(space->at(0).compile_ms, 5e-3);
    EXPECT_DOUBLE_EQ(space->at(1).time_ms, 3e3);
    EXPECT_DOUBLE_EQ(space->at(2).time_ms, 5e-3) << "a measurement without a unit has the file's";
    EXPECT_EQ(space->space.size(), 3);
  }
}

TEST(T4Results, InvalidityAndCorrectnessSayHowItFailed) {
  const std::vector<std::tuple<std::string, int, TrialStatus>> cases = {{"timeout", 0, TrialStatus::timed_out},
                                                                        {"runtime", 0, TrialStatus::launch_failed},
                                                                        {"correctness", 0, TrialStatus::wrong_result},
                                                                        {"constraints", 0, TrialStatus::invalid},
                                                                        {"compile", 1, TrialStatus::compile_failed},
                                                                        {"correct", 0, TrialStatus::wrong_result},
                                                                        {"correct", 1, TrialStatus::ok}};
  for (const auto& [word, correct, status] : cases) {
    const auto space = read_t4(file(result(
        1, fmt::format(R"("times": {{"runtimes": [1]}}, "invalidity": "{}", "correctness": {})", word, correct))));
    ASSERT_TRUE(space) << word;
    EXPECT_EQ(space->at(0).status, status) << word;
  }
}

TEST(T4Results, ANameInPlaceOfTheTimeIsAFailure) {
  const auto space = read_t4(file(result(
      1,
      R"("times": {}, "invalidity": "runtime", "correctness": 0, "measurements": [{"name": "time", "value": "RuntimeFailedConfig", "unit": ""}])")));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->at(0).status, TrialStatus::launch_failed);
}

TEST(T4Results, ATimeThatIsTooLongInMillisecondsIsNone) {
  const auto space = read_t4(file(result(1, R"("times": {"runtimes": [1e307, 2]}, "invalidity": "correct")"),
                                  R"("metadata": {"timeunit": "seconds"}, )"));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_THAT(space->at(0).samples_ms, ElementsAre(2000));
  ASSERT_TRUE(read_t4(write_t4_results(*space)));
}

TEST(T4Results, ATimestampIsNoFailureInACache) {
  const auto space = read_t4(file(result(1, kOk + R"(, "timestamp": "of OurConfig")")));
  ASSERT_TRUE(space) << space.error().message;
  std::string cache = write_kernel_tuner_cache(*space).value();
  const auto again = read_kernel_tuner_cache(cache);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->at(0).status, TrialStatus::ok);
  EXPECT_EQ(again->at(0).timestamp, "of OurConfig");
}

// In a cache, an entry has the params, the measurements and the fields of the format on one level.
TEST(T4Results, WhatACacheCannotTellApartIsRefused) {
  const auto metric = read_t4(file(result(1, kOk + R"(, "measurements": [{"name": "a", "value": 3, "unit": ""}])")));
  ASSERT_TRUE(metric) << metric.error().message;
  EXPECT_THAT(write_kernel_tuner_cache(*metric).error().message, HasSubstr("measurement 'a' has a name that an entry"));
  for (const char* name : {"time", "times", "timestamp", "compile_time"}) {
    const auto param = read_t4(file(fmt::format(R"({{"configuration": {{"{}": 1}}, {}}})", name, kOk)));
    ASSERT_TRUE(param) << param.error().message;
    EXPECT_THAT(write_kernel_tuner_cache(*param).error().message,
                HasSubstr(fmt::format("parameter '{}' has a name that an entry", name)));
    EXPECT_TRUE(read_t4(write_t4_results(*param)));
  }
}

// Converts twice through both formats in both orders: fields that survive the first conversion survive all.
TEST(T4Results, NothingThatBothFormatsHaveIsLost) {
  std::string cache = test::kSmallCache;
  const auto original = read_kernel_tuner_cache(cache);
  ASSERT_TRUE(original);
  const std::string t4 = write_t4_results(*original);
  auto there = read_t4(t4);
  ASSERT_TRUE(there) << there.error().message;
  there->kernel = original->kernel; // T4 has neither field
  there->problem = original->problem;
  EXPECT_EQ(write_t4_results(*there), write_t4_results(*read_t4(write_t4_results(*there))));
  std::string back_text = write_kernel_tuner_cache(*there).value();
  const auto back = read_kernel_tuner_cache(back_text);
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->space.size(), original->space.size());
  for (ConfigIndex i = 0; i < original->space.size(); ++i) {
    Positions at, found;
    original->space.positions(i, at);
    for (std::size_t p = 0; p < at.size(); ++p) {
      const ParamLabel& label = original->params[p].values[static_cast<std::size_t>(at[p])];
      const auto& values = back->params[p].values;
      found.push_back(static_cast<std::int32_t>(std::find(values.begin(), values.end(), label) - values.begin()));
    }
    const RecordedOutcome &a = original->at(i), &b = back->at(back->space.find_positions(found).value());
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.samples_ms, b.samples_ms);
    EXPECT_EQ(a.timestamp, b.timestamp);
    EXPECT_EQ(a.spent_ms(), b.spent_ms());
    EXPECT_EQ(a.metrics.size(), b.metrics.size());
    if (a.status == TrialStatus::ok) {
      EXPECT_EQ(a.time_ms, b.time_ms);
    }
  }
}

TEST(T4Results, ATruncatedFileCountsAsFarAsItGoes) {
  const std::string whole = file(result(1, kOk) + "," + result(2, kOk));
  std::int64_t last = 0;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const auto space = read_t4(whole.substr(0, size));
    if (!space) continue;
    EXPECT_GE(space->space.size(), last);
    EXPECT_THAT(space->notes, Contains(HasSubstr("is truncated")));
    last = space->space.size();
  }
  EXPECT_EQ(last, 2);
}

TEST(T4Results, ParamsThatComeLateMakeEarlierResultsIncomplete) {
  const auto space = read_t4(file(result(1, kOk) + R"(, {"configuration": {"a": 1, "b": 2}, )" + kOk + "}"));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->space.size(), 1);
  EXPECT_THAT(space->notes, ElementsAre(HasSubstr("entries left out because a parameter is missing in them: 1")));
}

TEST(T4Results, WhatIsNoT4IsRefusedWithASentence) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", "it is a list"},
      {"{}", "no 'results'"},
      {R"({"results": {}})", "not a list"},
      {R"({"results": 1})", "not a list"},
      {R"({"results": [1]})", "not a list of objects"},
      {R"({"results": [[]]})", "not an object"},
      {file(""), "has no parameters"},
      {file(result(1, R"("invalidity": "odd")")), "unknown 'invalidity', 'odd'"},
      {file(R"({"configuration": {"a": [1]}})"), "is a list"},
      {R"({"metadata": {"timeunit": "fortnights"}})", "unknown time unit, 'fortnights'"}};
  for (const auto& [text, why] : cases) {
    const auto space = read_t4(text);
    ASSERT_FALSE(space) << text;
    EXPECT_THAT(space.error().message, HasSubstr(why)) << text;
  }
}

} // namespace
} // namespace warptune
