// Names and spellings that the command line accepts, including former ones, and those that it refuses before any work.
#include "support/recorded_cli.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

struct CliSpellings : RecordedCli {
  CliSpellings() { cli.set("WARPTUNE_DB", db); }
  CliResult tune(Words more = {}) {
    more.insert(more.begin(), {"tune", "scale", "--shape", kScaleShape, "--device", "recorded:" + recording});
    return cli.run(more);
  }
  CliResult with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return cli.run(words);
  }
};

TEST_F(CliSpellings, VersionsAndUnknownCommands) {
  EXPECT_EQ(cli.run({"-V"}).out, cli.run({"--version"}).out);
  const CliResult typo = cli.run({"tuen", "--help"});
  EXPECT_EQ(typo.code, 2);
  EXPECT_THAT(typo.err, HasSubstr("there is no command 'tuen'; did you mean 'tune'?"));
  EXPECT_EQ(cli.run({"help", "tuen"}).code, 2);
}

TEST_F(CliSpellings, DevicesAndTypes) {
  EXPECT_EQ(tune().code, 0);
  EXPECT_EQ(tune({"--dtype", "Float32"}).code, 0);
  const CliResult sweep = cli.run({"sweep", "--list", "--device", "0"});
  EXPECT_EQ(sweep.code, 0) << "--devices: " << sweep.err;
  EXPECT_THAT(tune({"--dtype", "half"}).err, Not(HasSubstr("half"))) << "it is fp16";
  const CliResult gpu = cli.run({"run", "scale", "--shape", kScaleShape, "--device", "0"});
  EXPECT_THAT(gpu.err, Not(HasSubstr("is not a device"))) << gpu.err;
}

TEST_F(CliSpellings, QuietHasTheResultAlone) {
  const CliResult loud = tune(), quiet = tune({"-q"});
  EXPECT_THAT(loud.out, HasSubstr("scale: "));
  EXPECT_THAT(quiet.out, AllOf(Not(HasSubstr("scale: ")), HasSubstr("best ")));
  EXPECT_THAT(quiet.out, HasSubstr("first wrong result")) << "failures are kept for the summary";
}

TEST_F(CliSpellings, Timeouts) {
  EXPECT_EQ(tune({"--compile-timeout", "2m", "--evaluate-timeout", "90"}).code, 0);
  for (const char* bad : {"0", "x", "25h", "-1s"}) {
    const CliResult refused = tune({"--compile-timeout", bad});
    EXPECT_EQ(refused.code, 2) << bad;
    EXPECT_THAT(refused.err, HasSubstr("--compile-timeout takes a time of up to 24h"));
  }
}

TEST_F(CliSpellings, WordsOfPack) {
  ASSERT_EQ(tune().code, 0);
  const std::string out = (cli.dir() / "ops.wtpack").string();
  ASSERT_EQ(cli.run({"pack", "-o", out, "--no-compile"}).code, 1) << "written, and without programs";
  EXPECT_EQ(cli.run({"pack", "list", out}).out, cli.run({"pack", "--list", out}).out);
  EXPECT_EQ(cli.run({"pack", "check", out}).out, cli.run({"pack", "--check", out}).out);
  EXPECT_EQ(cli.run({"pack", "diff", out, out}).out, "the packs have the same content\n");
  EXPECT_THAT(cli.run({"pack", "diff", out}).err, HasSubstr("pack diff needs 2 packs, not 1"));
  EXPECT_THAT(cli.run({"pack", "lst", out}).err, HasSubstr("did you mean 'list'?"));
  const CliResult other = cli.run({"pack", "check", recording});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("is not a pack"), Not(HasSubstr("--db"))));
  EXPECT_THAT(cli.run({"pack", "--help"}).out, Not(HasSubstr("--list"))) << "kept, and not shown";
}

TEST_F(CliSpellings, CompletionScripts) {
  EXPECT_THAT(cli.run({"completion", "bash"}).out, HasSubstr("complete -F _warptune warptune"));
  EXPECT_THAT(cli.run({"completion", "zsh"}).out, HasSubstr("#compdef warptune"));
  EXPECT_THAT(cli.run({"completion", "fish"}).out, HasSubstr("complete -c warptune"));
  EXPECT_EQ(cli.run({"completion", "tcsh"}).code, 2);
}

TEST_F(CliSpellings, WhatAShellIsOfferedFromTheDatabase) {
  ASSERT_EQ(tune().code, 0);
  const std::string device = json::parse(cli.run({"show", "devices", "--json"}).out)["devices"][0]["name"];
  EXPECT_THAT(cli.run({"__complete", "explain", "scale", "--device", ""}).out, HasSubstr(device));
  EXPECT_THAT(cli.run({"__complete", "metrics", "--metric-set", ""}).out, HasSubstr("roofline"));
  EXPECT_THAT(cli.run({"__complete", "metrics", "--set", ""}).out, HasSubstr("roofline"));
  EXPECT_THAT(cli.run({"__complete", "metrics", "--"}).out, Not(HasSubstr("--set\t"))) << "its name from before";
}

TEST_F(CliSpellings, OutputsAreRefusedBeforeTheWork) {
  ASSERT_EQ(tune().code, 0);
  const std::vector<Words> commands = {{"record", "scale"},
                                       {"pack", "--no-compile"},
                                       {"export", "scale", "--format", "t4"},
                                       {"merge", (cli.dir() / "w.db").string()}};
  for (const Words& command : commands) {
    const CliResult standard = with(command, {"-o", "-"});
    EXPECT_EQ(standard.code, 2) << command.front();
    EXPECT_THAT(standard.err, HasSubstr("means standard output")) << command.front();
    const CliResult closed = with(command, {"-o", "/proc/out"});
    EXPECT_EQ(closed.code, command.front() == "merge" ? 5 : 2) << command.front(); // its output is a database
    EXPECT_THAT(closed.err, HasSubstr("no permission to create files in '/proc'")) << command.front();
  }
  const CliResult made = cli.run({"new", "/proc/copy", "--template", "scale"});
  EXPECT_EQ(made.code, 2);
  EXPECT_THAT(made.err, HasSubstr("cannot write '/proc/copy': no permission to create files in '/proc'; choose another "
                                  "DIR"));
  const CliResult trace = tune({"--trace", "/proc/trace"});
  EXPECT_EQ(trace.code, 2);
  EXPECT_THAT(trace.err, HasSubstr("--trace"));
}

TEST_F(CliSpellings, ADatabaseIsNoStandardStream) {
  for (const Words& command : std::vector<Words>{{"tune", "scale", "--shape", kScaleShape, "--device", "recorded"},
                                                 {"sweep", "recorded", "--devices", "recorded"},
                                                 {"show", "best"}}) {
    const CliResult result = with(command, {"--db", "-"});
    EXPECT_EQ(result.code, 2) << command.front();
    EXPECT_THAT(result.err, HasSubstr("--db - means a standard stream, but a database must be a file; name a file"));
  }
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(CliSpellings, ConfigurationsInJsonAreObjects) {
  const json tuned = json::parse(tune({"--json"}).out);
  const json expected = {{"THREADS", 64}, {"VEC", 1}};
  EXPECT_EQ(tuned["best"]["config"], expected);
  EXPECT_EQ(tuned["best"]["config_text"], "THREADS=64,VEC=1");
  const json best = json::parse(cli.run({"show", "best", "--json"}).out)["best"][0];
  EXPECT_EQ(best["config"], expected);
  EXPECT_TRUE(best["default_config"].is_object()) << best["default_config"];
  EXPECT_TRUE(best["default_config_text"].is_string());
  EXPECT_EQ(json::parse(cli.run({"show", "trials", "--json"}).out)["trials"][0]["config"], expected);
  EXPECT_EQ(json::parse(cli.run({"explain", "scale", "--shape", kScaleShape, "--json"}).out)["config"], expected);
  const json reported = json::parse(cli.run({"report", "--json"}).out)["views"][0]["best"];
  EXPECT_EQ(reported["config"], expected);
  EXPECT_EQ(reported["config_text"], "THREADS=64,VEC=1");
  const json space = json::parse(cli.run({"space", "scale", "--shape", kScaleShape, "--json"}).out);
  EXPECT_TRUE(space["combinations"].is_number_integer()) << space["combinations"];
}

} // namespace
} // namespace warptune
