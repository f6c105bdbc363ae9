#include "interchange/kernel_tuner_cache.h"
#include "support/cache_text.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<RecordedSpace> read(std::string text) { return read_kernel_tuner_cache(text); }

// A cache of one param `a`, with these entries.
std::string cache(const std::string& entries, const std::string& values = "1, 2, 3") {
  return R"({"device_name": "d", "kernel_name": "k", "problem_size": 8, "tune_params_keys": ["a"], "tune_params": {"a": [)" +
         values + R"(]}, "cache": {)" + entries + "}}";
}

const RecordedOutcome& outcome(const RecordedSpace& space, const Positions& at) {
  return space.at(space.space.find_positions(at).value());
}

TEST(KernelTunerCache, NothingIsBehindAZeroByte) {
  const auto space = read(std::string(test::kSmallCache) + '\0' + "more");
  ASSERT_FALSE(space);
  EXPECT_THAT(space.error().message, HasSubstr("not valid JSON at byte"));
}

TEST(KernelTunerCache, HeaderParamsAndOutcomesAreRead) {
  const auto space = read(test::kSmallCache);
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->device, "A GPU");
  EXPECT_EQ(space->kernel, "vector_add");
  EXPECT_EQ(space->problem, "[4096,1]");
  EXPECT_THAT(space->notes, IsEmpty());
  ASSERT_EQ(space->params.size(), 4u);
  EXPECT_EQ(space->params[1].values[0], (ParamLabel{ParamLabel::Kind::real, "0.5"}));
  EXPECT_EQ(space->params[2].values[1], (ParamLabel{ParamLabel::Kind::boolean, "false"}));
  EXPECT_EQ(space->params[3].values[1], (ParamLabel{ParamLabel::Kind::text, "col"}));
  ASSERT_EQ(space->space.size(), 5);
  EXPECT_EQ(space->best_ms(), 1.3999999999999997);
  const RecordedOutcome& first = outcome(*space, {1, 0, 0, 0});
  EXPECT_EQ(first.status, TrialStatus::ok);
  EXPECT_THAT(first.samples_ms, ElementsAre(2.25, 2.5, 2.75));
  EXPECT_EQ(first.spent_ms(), 100.125 + 7.5 + 1.5);
  EXPECT_EQ(first.timestamp, "2023-01-24 01:03:17.677311+00:00");
  EXPECT_EQ(space->energy_mj(space->space.find_positions(Positions{1, 0, 0, 0}).value()), 250);
  EXPECT_EQ(outcome(*space, {2, 0, 1, 1}).status, TrialStatus::launch_failed);
  EXPECT_EQ(outcome(*space, {0, 0, 1, 1}).status, TrialStatus::compile_failed);
  EXPECT_EQ(outcome(*space, {0, 1, 1, 1}).status, TrialStatus::invalid);
  EXPECT_TRUE(std::isnan(outcome(*space, {0, 1, 1, 1}).time_ms));
}

TEST(KernelTunerCache, TheBestTimeIsOfAConfigurationThatSucceeded) {
  auto space = read(test::kSmallCache);
  ASSERT_TRUE(space) << space.error().message;
  const double best_ms = space->best_ms();
  for (RecordedOutcome& o : space->outcomes)
    if (o.time_ms == best_ms) o.status = TrialStatus::wrong_result;
  EXPECT_GT(space->best_ms(), best_ms);
}

TEST(KernelTunerCache, ATextIsNoNumberOfTheSameDigits) {
  const auto space = read(cache(R"("1": {"a": 1, "time": 3}, "2": {"a": "1", "time": 4})", R"(1, "1")"));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->space.size(), 2);
  EXPECT_EQ(space->params[0].values.size(), 2U);
}

TEST(KernelTunerCache, CoordinatesAreNumbersAndNamesHaveNone) {
  const auto space = read(test::kSmallCache);
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_THAT(space->space.values()[0], ElementsAre(128, 32, 64));
  EXPECT_THAT(space->space.coordinates()[1], ElementsAre(0.5, 1.5));
  EXPECT_THAT(space->space.coordinates()[2], ElementsAre(1, 0));
  EXPECT_TRUE(std::isnan(space->space.coordinates()[3][0]));
}

TEST(KernelTunerCache, WrittenAndReadAgainIsTheSameText) {
  const auto space = read(test::kSmallCache);
  ASSERT_TRUE(space) << space.error().message;
  const std::string text = write_kernel_tuner_cache(*space).value();
  EXPECT_THAT(text, HasSubstr(R"("64,1.5,False,col": {)"));
  EXPECT_THAT(text, HasSubstr(R"("time": 1.3999999999999997,)"));
  EXPECT_THAT(text, HasSubstr(R"("factor": [0.5, 1.5], "fast": [true, false], "layout": ["row", "col"])"));
  EXPECT_THAT(text, HasSubstr(R"("GFLOP/s": 12.5, )"));
  const auto again = read(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(write_kernel_tuner_cache(*again).value(), text);
}

// A file that was cut anywhere is read up to the cut, or refused with a message.
TEST(KernelTunerCache, EveryBeginningOfAFileIsReadAsFarAsItGoes) {
  const std::string whole = test::kSmallCache;
  std::int64_t last = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto space = read(whole.substr(0, size));
    if (!space) {
      EXPECT_EQ(last, 0) << size;
      EXPECT_FALSE(space.error().message.empty());
      continue;
    }
    EXPECT_GE(space->space.size(), last) << size;
    EXPECT_THAT(space->notes, Contains(HasSubstr("is truncated")));
    last = space->space.size();
  }
  EXPECT_EQ(last, 5);
}

TEST(KernelTunerCache, FilesWithoutTheirBracesAreWhole) {
  const auto space = read(R"({"tune_params_keys": ["a"], "tune_params": {"a": [1, 2]}, "cache": {
    "1": {"a": 1, "time": 3},
    "2": {"a": 2, "time": 4},
)");
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->space.size(), 2);
}

TEST(KernelTunerCache, TimesThatAreNoneAreFailures) {
  for (const char* time :
       {"1e20", "null", "NaN", "Infinity", "-Infinity", "0", "-1", "\"ErrorConfig\"", "\"SomeNewConfig\""}) {
    const auto space = read(cache(fmt::format(R"("1": {{"a": 1, "time": {}}}, "2": {{"a": 2, "time": 5}})", time)));
    ASSERT_TRUE(space) << time << ": " << space.error().message;
    EXPECT_NE(space->at(0).status, TrialStatus::ok) << time;
    EXPECT_EQ(space->at(1).time_ms, 5) << time;
  }
}

TEST(KernelTunerCache, InvalidTimesAreQuotedAndCounted) {
  const auto space = read(cache(R"("1": {"a": 1, "time": -1}, "2": {"a": 2, "time": NaN}, "3": {"a": 3, "time": 5})"));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->at(0).evidence, "its time of -1 is not valid");
  EXPECT_EQ(space->at(1).evidence, "it has no valid time");
  EXPECT_EQ(space->at(2).evidence, "");
  EXPECT_THAT(space->notes, ElementsAre("entries without a valid time: 2; they count as failed"));
  const auto failed = read(cache(R"("1": {"a": 1, "time": "RuntimeFailedConfig"}, "2": {"a": 2, "time": 1e300})"));
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->at(0).evidence, "") << "the file says what failed";
  EXPECT_EQ(failed->at(1).evidence, "its time of 1e+300 is not valid");
}

TEST(KernelTunerCache, ValuesThatTuneParamsDoesNotListLeaveANote) {
  const auto space = read(cache(R"("1": {"a": 1.0, "time": 1}, "9": {"a": 9, "time": 2}, "8": {"a": 8, "time": 3})"));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->space.size(), 3);
  EXPECT_THAT(
      space->notes,
      ElementsAre("entries with a value that is not in the file's list for the parameter: 2; they are used anyway"));
}

TEST(KernelTunerCache, AFailureStandsInWhateverFieldItIsIn) {
  const auto space = read(cache(
      R"("1": {"a": 1, "time": 3, "GFLOP/s": "CompilationFailedConfig"}, "2": {"a": 2, "time": 1, "__error__": "InvalidConfig"})"));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->at(0).status, TrialStatus::compile_failed);
  EXPECT_EQ(space->at(1).status, TrialStatus::invalid);
  EXPECT_TRUE(std::isinf(space->best_ms()));
}

TEST(KernelTunerCache, NotANumberInsideATextStays) {
  const auto space = read(cache(R"("1": {"a": "NaN \" Infinity", "time": 3})", R"("NaN \" Infinity")"));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->params[0].values[0].text, "NaN \" Infinity");
}

TEST(KernelTunerCache, ParamsMayStandBelowTheCache) {
  const auto space = read(
      R"({"cache": {"1": {"a": 1, "time": 3}}, "problem_size": [1, 2], "tune_params": {"a": [1]}, "tune_params_keys": ["a"]})");
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->at(0).time_ms, 3);
  EXPECT_EQ(space->problem, "[1,2]");
}

TEST(KernelTunerCache, EntriesWithoutAParamAndRepeatedOnesLeaveANote) {
  const auto space = read(cache(R"("1": {"a": 1, "time": 3}, "2": {"time": 1}, "1.0": {"a": 1.0, "time": 4})"));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->space.size(), 1);
  EXPECT_EQ(space->at(0).time_ms, 4);
  EXPECT_THAT(space->notes, ElementsAre(HasSubstr("entries left out because a parameter is missing in them: 1"),
                                        HasSubstr("configurations that occur more than once: 1")));
}

TEST(KernelTunerCache, WhatIsNoCacheIsRefusedWithASentence) {
  const std::string deep = R"({"x": )" + std::string(100000, '[');
  std::string many;
  for (int i = 0; i < 300; ++i) many += fmt::format("{}\"p{}\": [1]", i > 0 ? ", " : "", i);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not valid JSON"},
      {"[1, 2]", "no 'cache'"},
      {"{}", "no 'cache'"},
      {R"({"cache": {}})", "has no parameters"},
      {R"({"cache": 3})", "single value"},
      {R"({"cache": [1]})", "object of objects"},
      {cache(""), "has no configurations"},
      {cache(R"("1": 5)"), "not an object"},
      {cache("", "1, [2]"), "itself a list"},
      {cache("", "null"), "is null"},
      {cache(R"("1": {"a": 1, "time": 1e999})"), "too large"},
      {cache(R"("1": {"a": 1, "time": 1}, xyz)"), "not valid JSON at byte"},
      {R"({"tune_params": {"a": 1}})", "is null"},
      {R"({"tune_params_keys": [[1]]})", "not a list of names"},
      {R"({"problem_size": {"x": 1}})", "not a plain list"},
      {R"({"tune_params": {"time": [1, 2]}})", "parameter 'time' has the name of a field of the cache's entries"},
      {R"({"tune_params": {)" + many + "}}", "more than 256 parameters"},
      {deep, "nested deeper"}};
  for (const auto& [text, why] : cases) {
    const auto space = read(text);
    ASSERT_FALSE(space) << text.substr(0, 100);
    EXPECT_EQ(space.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(space.error().message, HasSubstr(why)) << text.substr(0, 100);
  }
}

TEST(KernelTunerCache, OtherProblemsBecomeTextsWhereTheSchemaWantsIt) {
  auto space = read(test::kSmallCache);
  ASSERT_TRUE(space);
  for (const auto& [problem, written] : std::vector<std::pair<std::string, std::string>>{
           {"[1,2]", "[1,2]"}, {"7", "7"}, {"\"n=1\"", "\"n=1\""}, {"", "\"\""}, {"[1.5]", "\"[1.5]\""}}) {
    space->problem = problem;
    EXPECT_THAT(write_kernel_tuner_cache(*space).value(), HasSubstr("\"problem_size\": " + written + ","));
  }
}

} // namespace
} // namespace warptune
