// compare through the command line, on recordings with chosen differences.
#include "support/run_cli.h"
#include "support/scale_recording.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct CliCompare : testing::Test {
  CliRunner cli;
  std::string in_dir(const std::string& name) const { return (cli.dir() / name).string(); }

  // A database with the scale sweep, with each time multiplied by `factor`, under this driver.
  std::string tuned(const std::string& name, double factor, const std::string& driver = "580.1") {
    Recording r = scale_recording();
    r.device.driver = driver;
    for (Trial& t : r.trials) {
      if (!t.timing) continue;
      for (double* us : {&t.timing->median_us, &t.timing->ci_low_us, &t.timing->ci_high_us, &t.timing->min_us})
        *us *= factor;
      for (float& us : t.timing->samples_us) us *= static_cast<float>(factor);
    }
    EXPECT_TRUE(save_recording(r, in_dir(name + ".json")));
    const std::string db = in_dir(name + ".db");
    EXPECT_EQ(
        cli.run({"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + in_dir(name + ".json"), "--db", db})
            .code,
        0);
    return db;
  }
  json compare_json(std::vector<std::string> words) {
    words.insert(words.begin(), "compare");
    words.emplace_back("--json");
    const CliResult result = cli.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
};

TEST_F(CliCompare, TwoDatabases) {
  const std::string a = tuned("a", 1), b = tuned("b", 1.1, "590.2");
  const json c = compare_json({a, b});
  ASSERT_EQ(c["rows"].size(), 1U);
  const json& row = c["rows"][0];
  EXPECT_EQ(row["change"], "slower");
  EXPECT_NEAR(row["ratio"].get<double>(), 1.1, 1e-3);
  EXPECT_EQ(row["differences"], json::parse(R"(["driver 580.1 -> 590.2"])"));
  EXPECT_EQ(compare_json({b, a})["rows"][0]["change"], "faster");
  EXPECT_EQ(compare_json({a, a})["rows"][0]["change"], "same");
  const CliResult text = cli.run({"compare", a, b});
  EXPECT_THAT(text.out, AllOf(HasSubstr("1.100x"), HasSubstr("slower"), HasSubstr("driver 580.1 -> 590.2"),
                              HasSubstr("1 result in both: 0 faster, 1 slower, 0 the same"), HasSubstr("Holm")));
}

TEST_F(CliCompare, FailSlower) {
  const std::string a = tuned("a", 1), b = tuned("b", 1.1);
  EXPECT_EQ(cli.run({"compare", a, b}).code, 0);
  EXPECT_EQ(cli.run({"compare", a, b, "--fail-slower", "5%"}).code, 1);
  EXPECT_EQ(cli.run({"compare", a, b, "--fail-slower", "15"}).code, 0);
  EXPECT_EQ(cli.run({"compare", b, a, "--fail-slower", "0"}).code, 0) << "faster is fine";
  const CliResult wrong = cli.run({"compare", a, b, "--fail-slower", "much"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--fail-slower takes a share from 0% to 100%, such as 2%, not 'much'"));
}

TEST_F(CliCompare, ADifferenceWithinTheNoiseFailsNothing) {
  const std::string a = tuned("a", 1), b = tuned("b", 1.005);
  const json row = compare_json({a, b})["rows"][0];
  EXPECT_NEAR(row["ratio"].get<double>(), 1.005, 1e-3);
  EXPECT_EQ(row["change"], "same");
  EXPECT_EQ(cli.run({"compare", a, b, "--fail-slower", "0"}).code, 0);
}

TEST_F(CliCompare, TwoSessionsOfOneDatabase) {
  const std::string a = tuned("a", 1);
  EXPECT_EQ(cli.run({"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + in_dir("a.json"), "--db", a,
                     "--seed", "3"})
                .code,
            0);
  const json row = compare_json({a, "--session", "1", "--session", "2"})["rows"][0];
  EXPECT_EQ(row["a"]["session"], 1);
  EXPECT_EQ(row["b"]["session"], 2);
  const CliResult one = cli.run({"compare", a});
  EXPECT_EQ(one.code, 2);
  EXPECT_THAT(one.err, HasSubstr("needs two sessions"));
  const CliResult unknown = cli.run({"compare", a, "--session", "1", "--session", "9"});
  EXPECT_EQ(unknown.code, 4);
  EXPECT_THAT(unknown.err, HasSubstr("session 9 has no result"));
  EXPECT_EQ(cli.run({"compare", a, a, a}).code, 2);
  EXPECT_EQ(cli.run({"compare", a, a, "--session", "1"}).code, 2);
}

TEST_F(CliCompare, WhatIsMissingIsSaid) {
  const std::string a = tuned("a", 1);
  const CliResult none = cli.run({"compare", a, in_dir("none.db")});
  EXPECT_EQ(none.code, 5);
  EXPECT_THAT(none.err, HasSubstr("there is no database"));
  const CliResult kernel = cli.run({"compare", a, a, "--kernel", "scal"});
  EXPECT_EQ(kernel.code, 4);
  EXPECT_THAT(kernel.err, HasSubstr("did you mean 'scale'?"));
  EXPECT_EQ(cli.run({"compare"}).code, 2);
}

} // namespace
} // namespace warptune
