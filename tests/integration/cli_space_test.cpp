// `space` for a T1 file, which needs no kernel and no device.
#include "support/run_cli.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kT1 = R"({"General": {"BenchmarkName": "demo"}, "ConfigurationSpace": {"TuningParameters": [
  {"Name": "block", "Type": "int", "Values": "[16 * i for i in range(1, 5)]", "Default": 32},
  {"Name": "scale", "Type": "float", "Values": "[0.5, 2]", "Default": 0.5},
  {"Name": "mode", "Type": "string", "Values": "['fast', 'exact']", "Default": "exact"}],
 "Conditions": [{"Expression": "block % 32 == 0 or mode == 'fast'", "Parameters": ["block", "mode"]},
                {"Expression": "block // (scale - 2) < 0", "Parameters": ["block", "scale"]}]}})";

struct SpaceOfFile : testing::Test {
  CliRunner cli;
  std::string file(const std::string& text) {
    const std::string path = (cli.dir() / "space.json").string();
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(SpaceOfFile, CountsAndTellsWhatRejects) {
  const std::string path = file(kT1);
  const CliResult shown = cli.run({"space", path});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("demo from " + path), HasSubstr("16 combinations of 3 parameters"),
                               HasSubstr("6 (37.5 %)"), HasSubstr("block=32,scale=0.5,mode=exact (valid)"),
                               HasSubstr("division by zero"), HasSubstr("first 5 of 6")));
  EXPECT_THAT(cli.run({"space", path, "--limit", "0"}).out, HasSubstr("first 6 of 6"));
  const json out = json::parse(cli.run({"space", path, "--json", "--limit", "2"}).out);
  EXPECT_EQ(out["valid"], 6);
  EXPECT_EQ(out["combinations"], 16);
  EXPECT_EQ(out["default"]["valid"], true);
  ASSERT_EQ(out["configs"].size(), 2U);
  EXPECT_EQ(out["configs"][0], (json{{"block", 16}, {"scale", 0.5}, {"mode", "fast"}}));
  EXPECT_EQ(out["rejections"].size(), 2U);
}

TEST_F(SpaceOfFile, WhatIsWrongIsOneSentence) {
  const auto refused = [&](const std::vector<std::string>& words, const std::string& part) {
    const CliResult result = cli.run(words);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr(part));
  };
  refused({"space", file(kT1), "--shape", "n=1"}, "remove --shape");
  refused({"space", file("{}")}, "is not a T1 file");
  refused({"space", file(R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "a", "Values": "[1,"}]}})")},
          "/ConfigurationSpace/TuningParameters/0/Values");
  refused({"space", file("{\"ConfigurationSpace\"")}, "invalid JSON");
  refused({"space", file(std::string(std::size_t{200} << 20, 'x'))}, "space.json");
}

} // namespace
} // namespace warptune
