// `warptune metrics` as a user sees it, on a machine without a GPU.
#include "profiler/cupti_info.h"
#include "support/run_cli.h"
#include "support/scale_recording.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct CliMetrics : testing::Test {
  void SetUp() override {
    if (auto cupti = find_cupti(); !cupti) GTEST_SKIP() << cupti.error().message;
  }
  void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& part) {
    const CliResult result = cli.run(arguments);
    EXPECT_EQ(result.code, code) << testing::PrintToString(arguments);
    EXPECT_THAT(result.err, StartsWith("warptune: "));
    EXPECT_THAT(result.err, HasSubstr(part));
    EXPECT_EQ(result.out, "");
  }
  CliRunner cli;
};

TEST_F(CliMetrics, listsSetsWithTheirPasses) {
  const CliResult table = cli.run({"metrics"});
  EXPECT_THAT(table.out, HasSubstr("cheap enough for every trial"));
  EXPECT_EQ(table.code, 0) << table.err;
  for (const char* part : {"GH100", "lean", "roofline", "memory", "stalls"}) EXPECT_THAT(table.out, HasSubstr(part));
  const auto sets = nlohmann::json::parse(cli.run({"metrics", "--json"}).out).at("sets");
  ASSERT_EQ(sets.size(), 4U);
  EXPECT_EQ(sets[0].at("name"), "lean");
  EXPECT_EQ(sets[0].at("passes"), 1);
  for (const auto& metric : sets[0].at("metrics")) EXPECT_TRUE(metric.at("available")) << metric;
}

TEST_F(CliMetrics, checksAListAndSearches) {
  const auto one = nlohmann::json::parse(cli.run({"metrics", "--metrics", "dram__bytes_read.sum", "--json"}).out);
  EXPECT_EQ(one.at("passes"), 1);
  EXPECT_EQ(one.at("metrics").size(), 1U);
  EXPECT_EQ(one.at("metrics")[0].at("unit"), "byte");
  EXPECT_THAT(cli.run({"metrics", "--set", "roofline", "--dtype", "bf16"}).out, HasSubstr("2 passes on GH100"));
  EXPECT_THAT(cli.run({"metrics", "--filter", "BANK conflict", "--limit", "1"}).out, HasSubstr("more; --limit 0"));
  EXPECT_THAT(cli.run({"metrics", "--filter", "no such words"}).out, HasSubstr("has no metric with"));
}

TEST_F(CliMetrics, refusesWhatItDoesNotKnowWithTheNearest) {
  expect_refused({"metrics", "--set", "leen"}, 2, "did you mean 'lean'?");
  expect_refused({"metrics", "--chip", "GH10"}, 2, "did you mean 'GH100'?");
  expect_refused({"metrics", "--metrics", "lean,dram__bytes_raed.sum"}, 2, "did you mean 'dram__bytes_read.sum'?");
  expect_refused({"metrics", "--metrics", "dram__bytes_read.sum.sum"}, 2, "dram__bytes_read has no '.sum.sum'");
  expect_refused({"metrics", "--dtype", "fp99"}, 2, "is not a dtype");
}

TEST_F(CliMetrics, aRecordingIsAskedForTheSameLists) {
  Recording recording = scale_recording();
  recording.trials.front().profile =
      Profile{{{"dram__bytes_read.sum", 1e6}, {"smsp__inst_executed.sum", 2e5}}, "CUPTI", 1, true};
  const std::string file = (cli.dir() / "scale.json").string();
  ASSERT_TRUE(save_recording(recording, file));
  const auto counters = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"profile",        "scale",    "--shape",          kScaleShape, "--device",
                                          "replay:" + file, "--config", "THREADS=64,VEC=1", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CliResult result = cli.run(arguments);
    EXPECT_EQ(result.err, "");
    return nlohmann::json::parse(result.out, nullptr, false);
  };
  EXPECT_EQ(counters({}).at("counters").size(), 2U) << "all that it holds";
  EXPECT_THAT(cli.run({"profile", "scale", "--shape", kScaleShape, "--device", "replay:" + file, "--config",
                       "THREADS=64,VEC=1"})
                  .out,
              HasSubstr("DRAM read     1 MB (3.81x the model's 262.1 kB)"));
  EXPECT_EQ(counters({"--metrics", "dram__bytes_read.sum"}).at("counters"),
            nlohmann::json({{"dram__bytes_read.sum", 1e6}}));
  const auto some = counters({"--metrics", "stalls,dram__bytes_read.sum,lean,dram__bytes_write.sum"});
  EXPECT_THAT(some.at("notes").dump(),
              AllOf(HasSubstr("the recording has no counters of the set stalls for this configuration"),
                    HasSubstr("the recording has only 2 of the "), HasSubstr(" counters of the set lean"),
                    HasSubstr("the recording has no dram__bytes_write.sum for this configuration")));
  EXPECT_EQ(counters({"--metrics", "dram__bytes_read.sum"}).at("notes").dump().find("the recording has"),
            std::string::npos);
  const auto none = counters({"--metrics", "dram__bytes_write.sum"});
  EXPECT_TRUE(none.at("counters").is_null());
  EXPECT_EQ(none.at("no_counters"), "the recording has none of these metrics for this configuration");
}

TEST_F(CliMetrics, instructionsAreSampledOnlyOnAGpu) {
  const std::string file = (cli.dir() / "scale.json").string();
  save_scale_recording(file);
  expect_refused({"profile", "scale", "--shape", kScaleShape, "--source", "--device", "recorded:" + file}, 2,
                 "--source samples instructions on a GPU, but a recording contains no samples; leave --source out");
}

TEST_F(CliMetrics, withoutTheLibraryItSaysHowToGetIt) {
  cli.set("WARPTUNE_LIBCUPTI", "/nonexistent");
  expect_refused({"metrics"}, 3, "no usable CUPTI was found");
  EXPECT_THAT(cli.run({"doctor"}).out, HasSubstr("no usable libcupti was found"));
}

TEST_F(CliMetrics, DoctorListsTheLibrariesThatItTriedOnLinesOfTheirOwn) {
  cli.set("WARPTUNE_NVRTC", "/etc/passwd");
  const std::string out = cli.run({"doctor"}).out;
  EXPECT_THAT(out, HasSubstr("Tried:\n" + std::string(27, ' ') + "/etc/passwd: "));
  EXPECT_THAT(out, testing::Not(HasSubstr("\\n")));
}

} // namespace
} // namespace warptune::test
