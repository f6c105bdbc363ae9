// From a sweep to an application's selection, only through the command line, on a recording: tune, show, explain,
// record.
#include "db/reader.h"
#include "db/writer.h"
#include "support/recorded_cli.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

struct CliTune : RecordedCli {};

TEST_F(CliTune, SaysWhatWonAndWhatToDoNext) {
  const CliResult tuned = tune();
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out,
              AllOf(HasSubstr("THREADS=64,VEC=1"), HasSubstr("10.00 us"), HasSubstr("roofline"), HasSubstr("tie set"),
                    HasSubstr("verified"), HasSubstr("1 failed: 1 wrong result"), HasSubstr("session 1")));
  EXPECT_THAT(tuned.out, HasSubstr("warptune explain scale --shape rows=64,cols=1024"));
  EXPECT_THAT(tuned.out, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\r")))) << "a pipe gets plain lines";
  EXPECT_THAT(tuned.out, HasSubstr("scale: replaying: 9/9 (100 %)"));
}

// Without a GPU, `explain` cannot choose between the results of two GPU models.
TEST_F(CliTune, TheNextStepNamesTheDeviceIfTheDatabaseHasSeveral) {
  cli.set("WARPTUNE_LIBCUDA", "/nonexistent/libcuda.so.1");
  EXPECT_THAT(tune({"--db", db}).out, Not(HasSubstr("--device")));
  Recording other = scale_recording();
  other.device.name = "NVIDIA H100 80GB HBM3";
  other.device.uuid = "GPU-other";
  ASSERT_TRUE(save_recording(other, in_dir("other.json")));
  const CliResult tuned =
      cli.run({"tune", "scale", "--shape", kScaleShape, "--device", "recorded:" + in_dir("other.json"), "--db", db});
  EXPECT_THAT(tuned.out, HasSubstr("\n  warptune explain scale --shape " + std::string(kScaleShape) +
                                   " --device 'NVIDIA H100 80GB HBM3' --db " + db + "\n"));
  const CliResult explained = cli.run({"explain", "scale", "--shape", kScaleShape, "--db", db});
  EXPECT_THAT(explained.err, HasSubstr("choose one with --device"));
  EXPECT_EQ(cli.run({"explain", "scale", "--shape", kScaleShape, "--device", other.device.name, "--db", db}).code, 0);
}

TEST_F(CliTune, ATraceReplacesNoDatabaseAndTakesNoLogsPlace) {
  std::ofstream(cli.dir() / "s.json") << R"({"warptune_sweep": 1, "jobs": [{"kernel": "scale", "shapes": [")"
                                      << kScaleShape << R"("]}]})";
  const std::vector<std::string> sweep = {
      "sweep", (cli.dir() / "s.json").string(), "--devices", "replay:" + recording, "--db", db};
  for (int round = 0; round < 2; ++round) { // first without the database, then with it
    for (const char* end : {"", "-wal", "-shm", "-journal"}) {
      const CliResult tuned = tune({"--db", db, "--trace", db + end});
      EXPECT_EQ(tuned.code, 2) << end;
      EXPECT_THAT(tuned.err, HasSubstr("name another file"));
      std::vector<std::string> words = sweep;
      words.insert(words.end(), {"--trace", db + end});
      EXPECT_EQ(cli.run(words).code, 2) << end;
      if (round == 0) {
        EXPECT_FALSE(fs::exists(db + end)) << end;
      }
    }
    if (round == 0) {
      ASSERT_EQ(tune({"--db", db, "--trace", db + ".json"}).code, 0);
    }
  }
  EXPECT_EQ(cli.run({"show", "sessions", "--db", db}).code, 0);
}

TEST_F(CliTune, RecordKeepsAFileThatIsNotARecording) {
  ASSERT_EQ(tune().code, 0);
  const std::string mine = (cli.dir() / "mine.json").string();
  std::ofstream(mine) << "my thesis";
  const CliResult refused = cli.run({"record", "scale", "-o", mine});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is not a recording; use --force to replace it"));
  EXPECT_EQ(read_text(mine), "my thesis");
  EXPECT_EQ(cli.run({"record", "scale", "-o", mine, "--force"}).code, 0);
  EXPECT_EQ(cli.run({"record", "scale", "-o", mine}).code, 0) << "now it is one";
}

TEST_F(CliTune, AStrategyWithoutABudgetOnlyOrders) {
  EXPECT_THAT(tune({"--strategy", "random"}).err, HasSubstr("the strategy only sets the order"));
  EXPECT_THAT(tune({"--strategy", "random", "--budget", "3"}).err, Not(HasSubstr("only sets the order")));
}

TEST_F(CliTune, ARecordingAnswersForItsOwnStateOfTheL2) {
  const CliResult warm = tune({"--warm-l2"});
  EXPECT_EQ(warm.code, 2);
  EXPECT_THAT(warm.err, HasSubstr("was made with a cold L2 cache; leave out --warm-l2"));
  EXPECT_EQ(cli.run({"show", "sessions"}).code, 5) << "nothing was begun, so there is no database";
}

TEST_F(CliTune, JsonAloneOnStandardOutput) {
  const CliResult tuned = tune({"--json"});
  const json result = json::parse(tuned.out, nullptr, false);
  EXPECT_EQ(result["best"]["config_text"], "THREADS=64,VEC=1");
  EXPECT_EQ(result["by_status"]["wrong_result"], 1);
  EXPECT_EQ(result["interrupted"], false);
  EXPECT_THAT(tuned.err, HasSubstr("9/9 (100 %)")) << "progress goes elsewhere";
  const json asked = json::parse(
      tune({"--json", "--strategy", "genetic:population=5", "--budget", "4", "--seed", "7", "--knowledge", "none"}).out,
      nullptr, false);
  const json session = parsed({"show", "sessions"})["sessions"][0];
  for (const char* what : {"strategy", "budget", "seed", "cold_l2", "objective"})
    EXPECT_EQ(asked[what], session[what]) << "as `show sessions` says it: " << what;
  EXPECT_EQ(asked["strategy"], "genetic:population=5; knowledge none");
}

TEST_F(CliTune, SaysWhatEndedTheSearch) {
  const CliResult reached = tune({"--target", "1s", "--json"});
  EXPECT_EQ(reached.code, 0) << reached.err;
  const json result = json::parse(reached.out, nullptr, false);
  EXPECT_EQ(result["ended_by"], "target");
  EXPECT_LT(result["measured"], 9);
  EXPECT_THAT(tune({"--target", "1s"}).out, HasSubstr("ended     the target of 1.000 s is reached"));
  EXPECT_THAT(tune({"--budget", "3,60s"}).out, HasSubstr("the budget of 3 configurations is used up"));
  EXPECT_THAT(tune({"--budget", "1h,25%,8"}).out,
              HasSubstr("the budget of 25% of the space (3 configurations) is used up"));
  EXPECT_THAT(tune({"--budget", "1h,90%,4"}).out, HasSubstr("the budget of 4 configurations is used up"));
  EXPECT_THAT(tune().out, HasSubstr("every configuration was tried"));
  const CliResult no_forecast =
      tune({"--strategy", "random", "--budget", "3", "--stop-below", "1%", "--knowledge", "none"});
  EXPECT_THAT(no_forecast.out, HasSubstr("random makes no forecast"));
  const json session = parsed({"show", "sessions"})["sessions"][0];
  EXPECT_EQ(session["strategy"], "random; knowledge none");
  EXPECT_EQ(session["budget"], "3; stop below 1%");
}

TEST_F(CliTune, FormerWordsOfKnowledgeAreIgnoredWithANote) {
  const CliResult result = tune({"--knowledge", "features,prior,hints,counters", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(
      result.err,
      HasSubstr("warptune: note: the parts `features` and `counters` of knowledge no longer exist and are ignored"));
  EXPECT_EQ(json::parse(result.out, nullptr, false)["strategy"], "exhaustive");
}

TEST_F(CliTune, WhatCannotBeSearchedIsSaidBeforeAnythingIsDone) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong = {
      {{"--target", "120"}, "write a time, such as 120us"},
      {{"--stop-below", "1"}, "such as 1%"},
      {{"--budget", "3,4"}, "a limit of this kind is given twice"},
      {{"--knowledge", "hint"}, "write prior, hints, all (both) or none"},
      {{"--strategy", "randm"}, "did you mean 'random'?"},
      {{"--strategy", "random:a=1"}, "it has no options"},
      {{"--strategy", "random:a"}, "write NAME=NUMBER"}};
  for (const auto& [words, part] : wrong) {
    const CliResult result = tune(words);
    EXPECT_EQ(result.code, 2) << words.front();
    EXPECT_THAT(result.err, HasSubstr(part));
  }
  EXPECT_EQ(cli.run({"show", "sessions"}).code, 5) << "no database was made";
}

TEST_F(CliTune, ShowAndExplainWhatWasStored) {
  ASSERT_EQ(tune().code, 0);
  EXPECT_EQ(parsed({"show", "best"})["best"][0]["config_text"], "THREADS=64,VEC=1");
  EXPECT_EQ(parsed({"show", "sessions", "--kernel", "scale"})["sessions"][0]["state"], "finished");
  EXPECT_EQ(parsed({"show", "devices"})["devices"][0]["name"], "NVIDIA H200");
  EXPECT_EQ(parsed({"show", "trials", "--session", "1"})["trials"].size(), 9U);
  const CliResult trials = cli.run({"show", "trials"});
  EXPECT_THAT(trials.out, AllOf(HasSubstr("search median"), HasSubstr("wrong result"),
                                HasSubstr("y[3] is 0 and should be 1\\x1b[2J")));
  EXPECT_THAT(cli.run({"show", "trials", "--limit", "2"}).out, HasSubstr("7 more; --limit 0 shows all"));
  SQLite::Database(cli.dir() / "data" / "warptune" / "warptune.db", SQLite::OPEN_READWRITE)
      .exec("UPDATE trials SET complete = 0 WHERE median_us > 11; "
            "UPDATE trials SET status = 'unstable' WHERE median_us > 12");
  const std::string stopped = cli.run({"show", "trials"}).out;
  EXPECT_THAT(stopped, AllOf(HasSubstr("  dropped early  "), HasSubstr("  unstable  ")));
  EXPECT_EQ(stopped.find("dropped early"), stopped.rfind("dropped early")) << "only for the correct trial";

  const auto explain = [&](const std::string& shape, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"explain", "scale", "--shape", shape};
    words.insert(words.end(), more.begin(), more.end());
    return parsed(words);
  };
  const json exact = explain(kScaleShape, {"--device", "NVIDIA H200"});
  EXPECT_EQ(exact["match"], "exact");
  EXPECT_GT(exact["median_us"], 0);
  EXPECT_EQ(explain("rows=100,cols=1024", {"--device", "nvidia h200"})["match"], "nearest shape");
  EXPECT_EQ(explain(kScaleShape, {"--arch", "sm_90"})["match"], "same architecture");
  EXPECT_EQ(explain(kScaleShape, {"--arch", "sm_80"})["match"], "default");
}

TEST_F(CliTune, EnergyIsShownWhereItIsKnown) {
  ASSERT_EQ(tune().code, 0);
  EXPECT_THAT(cli.run({"show", "best"}).out, AllOf(Not(HasSubstr("energy")), Not(HasSubstr("objective"))));
  ASSERT_TRUE(save_recording(scale_recording_with_energy(), recording));
  const CliResult fast = tune({"--energy"});
  EXPECT_EQ(fast.code, 0) << fast.err;
  EXPECT_THAT(fast.out,
              AllOf(HasSubstr("THREADS=64,VEC=1"), HasSubstr("6 mJ per launch (400 W, 1755 MHz, power cap)")));
  EXPECT_THAT(cli.run({"show", "best"}).out, AllOf(HasSubstr("6 mJ"), Not(HasSubstr("objective"))));
  const json frugal =
      parsed({"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + recording, "--objective", "energy"});
  EXPECT_EQ(frugal["best"]["objective"], "energy");
  EXPECT_LT(frugal["best"]["energy_mj"], 6);
  EXPECT_GT(frugal["best"]["median_us"], 10);
  EXPECT_EQ(frugal["power"]["average_w"], 400);
  EXPECT_GE(frugal["best"]["pareto"].size(), 2U);
  EXPECT_THAT(cli.run({"show", "best"}).out, AllOf(HasSubstr("objective"), HasSubstr("energy")));
  const CliResult unknown = tune({"--objective", "watts"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown objective 'watts'"));
}

TEST_F(CliTune, AnObjectiveThatTheRecordingCannotDecideIsRefused) {
  const CliResult refused = tune({"--objective", "edp"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("contains no energy measurements, which the objective edp needs; use the "
                                     "objective time, or record a session that was tuned with --energy"));
  EXPECT_EQ(cli.run({"show", "sessions"}).code, 5) << "no session was stored";
}

// A window that is larger than the image has no recording; but that is not why it cannot be tuned.
TEST(CliTuneImpossible, AProblemWithoutAConfigurationIsNotOnlyUnrecorded) {
  CliRunner cli;
  cli.use_shipped();
  const auto tune = [&](const std::string& window) {
    return cli.run({"tune", "pool", "--shape", "batch=1,channels=3,height=4,width=4,window_h=2,window_w=" + window,
                    "--device", "recorded"});
  };
  const CliResult impossible = tune("9");
  EXPECT_EQ(impossible.code, 4);
  EXPECT_THAT(impossible.err, HasSubstr("a window is not larger than the padded image"));
  const CliResult unrecorded = tune("2");
  EXPECT_EQ(unrecorded.code, 2);
  EXPECT_THAT(unrecorded.err, HasSubstr("contains no recording of pool for "));
}

// The default and cuBLASLt's 20 algorithms run even if the budget is smaller.
TEST(CliTuneLibraries, TheProgressCountsBaselinesBeyondTheBudget) {
  CliRunner cli;
  cli.use_shipped();
  const std::string out = cli.run({"tune", "gemm", "--shape", "m=64,n=4096,k=4096", "--set", "layout=nt", "--device",
                                   "recorded", "--budget", "5", "--baseline"})
                              .out;
  EXPECT_THAT(out, AllOf(HasSubstr("replaying: 1/21 (5 %)"), HasSubstr("replaying: 21/21 (100 %)")));
}

// The recorded product is one that cuBLASLt wins.
TEST(CliTuneLibraries, AWinnerThatIsALibraryCallIsComparedWithTheFastestKernel) {
  CliRunner cli;
  cli.use_shipped();
  const CliResult tuned = cli.run({"tune", "gemm", "--shape", "m=64,n=4096,k=4096", "--set", "layout=nt", "--device",
                                   "recorded", "--budget", "100", "--baseline"});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, AllOf(HasSubstr("the fastest configuration without library calls has "),
                               HasSubstr("x its speed ("), Not(HasSubstr("1.000x the speed"))));
  const std::string trials = cli.run({"show", "trials", "--session", "1"}).out;
  const auto line_of = [&](const std::string& text) {
    const std::size_t at = trials.find(text), begin = trials.rfind('\n', at) + 1;
    return at == std::string::npos ? std::string() : trials.substr(begin, trials.find('\n', at) - begin);
  };
  EXPECT_THAT(line_of("implementation=cublaslt"), HasSubstr("-       -  implementation"));
  EXPECT_THAT(line_of("implementation=wgmma"), Not(HasSubstr("-       -  implementation")));
}

TEST_F(CliTune, ABestHasItsBaselineAndTheClockOfItsFinals) {
  EXPECT_EQ(tune().code, 0);
  EXPECT_THAT(cli.run({"show", "best"}).out, Not(HasSubstr("baseline")));
  const fs::path standard = cli.dir() / "data" / "warptune" / "warptune.db";
  auto writer = Writer::open(standard);
  ASSERT_TRUE(writer);
  BestRecord best = Reader::open(standard)->best()->front();
  best.baseline = "implementation=cublaslt,RANK=2";
  best.baseline_us = 1.05 * best.median_us;
  best.rounds = {{10, 20, 10.5, {1410, 60, 695, 4}}, {10, 20, 10.5, {1980, 60, 600, 0}}};
  ASSERT_TRUE(writer->put_best(best));
  EXPECT_THAT(cli.run({"show", "best"}).out,
              AllOf(HasSubstr("vs cublaslt"), HasSubstr("1.05x"), HasSubstr("10.00 us at 1410 to 1980 MHz")));
  const json stored = parsed({"show", "best"})["best"][0];
  EXPECT_EQ(stored["baseline"], "implementation=cublaslt,RANK=2");
  EXPECT_EQ(stored["sm_clock_min_mhz"], 1410);
}

// A recorded device answers every check alike, and a refused check would replace its process.
TEST_F(CliTune, ARecordedWinnerIsCheckedOnceInTheProcessOfTheSession) {
  const std::string file = (cli.dir() / "trace.json").string();
  ASSERT_EQ(tune({"--trace", file}).code, 0);
  std::map<std::string, int> spans;
  for (const json& event : json::parse(read_text(file))) ++spans[event["name"].get<std::string>()];
  EXPECT_EQ(spans["check"], 1);
  EXPECT_EQ(spans["open problem"], 1);
}

TEST_F(CliTune, UnknownNamesInTheDatabaseAreRefused) {
  ASSERT_EQ(tune().code, 0);
  EXPECT_EQ(cli.run({"show", "trials", "--session", "99"}).code, 4);
  EXPECT_THAT(cli.run({"show", "best", "--kernel", "scael"}).err, HasSubstr("did you mean 'scale'?"));
  EXPECT_EQ(cli.run({"explain", "scale", "--shape", kScaleShape, "--device", "GTX 285"}).code, 3);
}

// Names match whole words: H20 is not H200, and a name that fits several devices is refused.
TEST_F(CliTune, DevicesAreNamedByWholeWords) {
  ASSERT_EQ(tune().code, 0);
  const auto add = [&](const char* name) {
    auto writer = Writer::open(cli.dir() / "data" / "warptune" / "warptune.db");
    ASSERT_TRUE(writer) << writer.error().message;
    DeviceInfo device = h200_device();
    device.name = device.uuid = name;
    ASSERT_TRUE(writer->put_device(device));
  };
  const auto explain = [&](const std::string& device) {
    return cli.run({"explain", "scale", "--shape", kScaleShape, "--device", device, "--json"});
  };
  const auto found = [&](const std::string& device) {
    const CliResult result = explain(device);
    EXPECT_EQ(result.code, 0) << device << ": " << result.err;
    return json::parse(result.out, nullptr, false).value("device", "");
  };
  const CliResult unknown = explain("H20");
  EXPECT_EQ(unknown.code, 3) << "H200 alone is there";
  EXPECT_THAT(unknown.out, HasSubstr("no device 'H20'"));
  EXPECT_THAT(explain("NVIDIA_H200").out, HasSubstr("did you mean 'NVIDIA H200'? --device also takes auto, cuda:N, "));
  for (const char* name : {"NVIDIA H20", "NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3"}) add(name);
  EXPECT_EQ(found("H20"), "NVIDIA H20");
  EXPECT_EQ(found("h200"), "NVIDIA H200");
  EXPECT_EQ(found("nvidia h20"), "NVIDIA H20");
  EXPECT_EQ(found("PCIe"), "NVIDIA H100 PCIe");
  EXPECT_EQ(found("H100 80GB"), "NVIDIA H100 80GB HBM3");
  for (const char* part : {"H2", "H10", "VIDIA", "200", " "}) EXPECT_NE(explain(part).code, 0) << part;
  const CliResult several = explain("H100");
  EXPECT_EQ(several.code, 2);
  EXPECT_THAT(several.out,
              HasSubstr("matches 'NVIDIA H100 PCIe' or 'NVIDIA H100 80GB HBM3'; write one of these names"));
}

TEST_F(CliTune, ARecordingOfTheSessionReplaysTheSame) {
  ASSERT_EQ(tune().code, 0);
  const std::string copy = (cli.dir() / "copy.json").string();
  const json recorded = parsed({"record", "scale", "--shape", kScaleShape, "-o", copy});
  EXPECT_EQ(recorded["trials"], 9);
  const CliResult again = cli.run({"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + copy, "--json",
                                   "--db", (cli.dir() / "other.db").string()});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out, nullptr, false)["best"]["config_text"], "THREADS=64,VEC=1");
  EXPECT_EQ(cli.run({"record", "scale", "--shape", "rows=1,cols=8"}).code, 4) << "never tuned";
}

TEST_F(CliTune, AKernelIsRememberedWithoutItsFolder) {
  ASSERT_EQ(tune().code, 0);
  std::filesystem::create_directory(cli.dir() / "nothing");
  cli.set("WARPTUNE_TEMPLATES", (cli.dir() / "nothing").string());
  const json explained = parsed({"explain", "scale", "--shape", kScaleShape});
  EXPECT_EQ(explained["match"], "exact");
  EXPECT_THAT(explained["notes"].dump(), HasSubstr("is read from the database"));
}

TEST_F(CliTune, AClosedPipeStoresWhatWasMeasured) {
  const CliResult result =
      cli.run_into_closed_pipe({"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + recording});
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr("--resume"));
  EXPECT_EQ(tune({"--resume"}).code, 0);
  EXPECT_THAT(tune({"--resume"}).out,
              AllOf(HasSubstr("9 reused from the earlier run"), HasSubstr("this session was already finished")));
  const json sessions = parsed({"show", "sessions"})["sessions"];
  ASSERT_EQ(sessions.size(), 1U) << "the stopped session went on";
  EXPECT_EQ(sessions[0]["trial_count"], 9);
}

} // namespace
} // namespace warptune
