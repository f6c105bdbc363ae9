// verify through the command line, on recordings: the messages, the stored checks, the exit codes.
#include "support/recorded_cli.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

struct CliVerify : RecordedCli {
  CliVerify() {
    cli.set("WARPTUNE_DB", db);
    EXPECT_EQ(tune().code, 0);
  }

  CliResult verify(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"verify", "--device", "replay:" + recording, "--seed", "1"});
    return cli.run(more);
  }
  json verify_json(std::vector<std::string> more, int code) {
    more.emplace_back("--json");
    const CliResult result = verify(more);
    EXPECT_EQ(result.code, code) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  CliResult without_device(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"verify", "--device", "none"});
    return cli.run(more);
  }
  std::string explained() { return cli.run({"explain", "scale", "--shape", kScaleShape}).out; }
  // A later recording: `factor` times as slow, except the default.
  void record_again(double factor) {
    Recording r = scale_recording();
    for (Trial& t : r.trials)
      if (t.timing && t.config == Config{64, 1}) {
        Timing& timing = *t.timing;
        for (double* us : {&timing.median_us, &timing.ci_low_us, &timing.ci_high_us, &timing.min_us}) *us *= factor;
        for (float& us : timing.samples_us) us *= static_cast<float>(factor);
      }
    ASSERT_TRUE(save_recording(r, recording));
  }
  void sql(const std::string& text) { SQLite::Database(db, SQLite::OPEN_READWRITE).exec(text); }
};

TEST_F(CliVerify, WithoutADriverIsAnErrorUnlessAskedFor) {
  cli.set("WARPTUNE_LIBCUDA", "/nowhere/libcuda.so.1");
  const CliResult result = cli.run({"recheck"});
  EXPECT_THAT(result.err, HasSubstr("nothing was timed: "));
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(cli.run({"verify", "--device", "none"}).code, 0) << "by its former name";
}

TEST_F(CliVerify, AllHold) {
  const CliResult result = verify();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("1/1 scale rows=64,cols=1024;fp32;mode=plain: holds (recorded, not timed): 10.00 us then, "
                      "10.00 us recorded (0.0 %)"),
            HasSubstr("1 result: 1 holds"), HasSubstr("checks stored in " + db),
            HasSubstr("recorded, not measured now")));
  EXPECT_THAT(explained(), AllOf(HasSubstr("last re-checked 20"), HasSubstr(": holds (recorded, not timed)")));
  EXPECT_THAT(cli.run({"show", "best"}).out, HasSubstr(" holds (recorded, not timed)"));
}

TEST_F(CliVerify, WhatMovedEndsInOne) {
  record_again(1.05);
  const json result = verify_json({}, 1);
  const json& row = result["results"][0];
  EXPECT_EQ(row["status"], "moved");
  EXPECT_EQ(row["fine"], false);
  EXPECT_NEAR(row["change_percent"].get<double>(), 5, 0.01);
  EXPECT_NEAR(row["now_us"].get<double>(), 10.5, 0.01);
  EXPECT_EQ(result["by_status"]["moved"], 1);
  EXPECT_EQ(verify({"--tolerance", "6%"}).code, 0);
  record_again(3);
  const CliResult slower = verify();
  EXPECT_EQ(slower.code, 1);
  EXPECT_THAT(slower.out, AllOf(HasSubstr("slower than default"), HasSubstr("+200.0 %")));
}

TEST_F(CliVerify, WhatIsWrongIsNotDispatchedAnyMore) {
  Recording r = scale_recording();
  Trial& best = r.trials.front();
  best.status = TrialStatus::wrong_result;
  best.verdict->correct = false;
  best.verdict->detail = "y[3] is 0\x1b[2J";
  best.timing.reset();
  ASSERT_TRUE(save_recording(r, recording));
  const CliResult result = verify();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("1 result: 1 wrong"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(explained(), AllOf(Not(HasSubstr("THREADS=64,VEC=1\n")),
                                 HasSubstr("its results were wrong when re-checked"), HasSubstr("match     default")));
  EXPECT_THAT(cli.run({"show", "best"}).out, HasSubstr("out: its results were wrong"));
  const CliResult again = verify();
  EXPECT_EQ(again.code, 4);
  EXPECT_THAT(again.err, HasSubstr("1 result found wrong in an earlier check and withheld from applications"));
}

TEST_F(CliVerify, WithoutADeviceChangedSourcesAreMarked) {
  const CliResult fresh = without_device();
  EXPECT_EQ(fresh.code, 0) << fresh.err;
  EXPECT_THAT(fresh.out, AllOf(HasSubstr("1 result: 1 not timed"),
                               HasSubstr("nothing was timed; the sources, the compiler and warptune have not changed"),
                               Not(HasSubstr("checks stored")), Not(HasSubstr("not compared"))));
  const fs::path templates = cli.dir() / "templates";
  fs::create_directories(templates);
  fs::copy(data_dir() / "specs" / "scale", templates / "scale", fs::copy_options::recursive);
  std::ofstream(templates / "scale" / "kernel.cu", std::ios::app) << "// a change\n";
  const CliResult by_path = without_device({"--kernel", (templates / "scale").string()});
  EXPECT_EQ(by_path.code, 1);
  cli.set("WARPTUNE_TEMPLATES", templates.string());
  const CliResult changed = without_device();
  EXPECT_EQ(changed.code, 1);
  EXPECT_THAT(changed.out, AllOf(HasSubstr("stale, not timed: the kernel's sources changed"),
                                 HasSubstr("the table shows only what has changed since the results were stored"),
                                 HasSubstr("checks stored in " + db)));
  EXPECT_THAT(cli.run({"show", "best"}).out, HasSubstr("stale: the kernel's sources changed"));
  const json row = verify_json({}, 0)["results"][0];
  EXPECT_EQ(row["status"], "holds") << "from the sources it was tuned from";
  EXPECT_EQ(row["stale"], "the kernel's sources changed");
  ASSERT_EQ(tune().code, 0);
  EXPECT_THAT(without_device().err, HasSubstr("left out: 1 result from other sources than the current or newest ones"));
}

TEST_F(CliVerify, AKernelWithoutAKnownFolderIsNotCompared) {
  fs::create_directory(cli.dir() / "none");
  cli.set("WARPTUNE_TEMPLATES", (cli.dir() / "none").string());
  const CliResult unknown = without_device();
  EXPECT_THAT(unknown.out, AllOf(HasSubstr("the compared sources, the compiler and warptune have not changed"),
                                 HasSubstr("the stored sources of scale were not compared with the current ones; to "
                                           "compare them, name its folder with --kernel")));
  const CliResult named = without_device({"--kernel", (data_dir() / "specs" / "scale").string()});
  EXPECT_THAT(named.out, AllOf(HasSubstr("the sources, the compiler and warptune have not changed"),
                               Not(HasSubstr("not compared"))));
}

TEST_F(CliVerify, ANewDriverOrCompilerMakesStale) {
  sql("UPDATE toolchains SET driver = '570.0', compiler = 'NVRTC 12.8'");
  EXPECT_EQ(verify_json({}, 0)["results"][0]["stale"], "driver 570.0 then, 580.1 now; NVRTC 12.8 then, NVRTC 13.0 now");
  EXPECT_THAT(explained(), HasSubstr("stale: driver 570.0 then, 580.1 now"));
}

TEST_F(CliVerify, FiltersAndSamples) {
  EXPECT_EQ(verify({"--kernel", "scale", "--shape", kScaleShape, "--dtype", "fp32"}).code, 0);
  EXPECT_EQ(verify({"--kernel", "scale", "--shape", "rows=1,cols=8"}).code, 4);
  const CliResult kernel = verify({"--kernel", "scael"});
  EXPECT_EQ(kernel.code, 4);
  EXPECT_THAT(kernel.err, HasSubstr("did you mean 'scale'?"));
  const CliResult uuid = verify({"--uuid", "GPU-1"});
  EXPECT_EQ(uuid.code, 4);
  sql("INSERT INTO problems SELECT 2, kernel, 'rows=64,cols=2048;fp32' FROM problems WHERE id = 1;"
      "INSERT INTO sessions SELECT 2, kernel_id, 2, device_id, toolchain_id, arch, strategy, budget, seed, cold_l2, "
      "space_size, state, version, started_at, ended_at, 'another', objective FROM sessions WHERE id = 1;"
      "INSERT INTO best SELECT 2, 2, config_id, default_config_id, median_us, ci_low_us, ci_high_us, default_us, "
      "roofline_share, bound, certified, p_value, outcome, checks, cubin_hash, created_at, energy_mj, baseline, "
      "baseline_us, without_calls, without_calls_us FROM best WHERE id = 1;"
      "CREATE TEMP TABLE copied AS SELECT * FROM trials WHERE session_id = 1;"
      "UPDATE copied SET id = id + 1000, session_id = 2; INSERT INTO trials SELECT * FROM copied");
  EXPECT_THAT(verify().out, HasSubstr("left out: 1 result without a matching recording"));
  EXPECT_THAT(without_device().out, HasSubstr("2 results: 2 not timed"));
  EXPECT_THAT(without_device({"--sample", "50%", "--seed", "3"}).out,
              AllOf(HasSubstr("1 result: 1 not timed"), HasSubstr("left out: 1 result not in the sample"),
                    HasSubstr("--seed 3 draws this sample again")));
  sql("UPDATE best SET certified = 0 WHERE id = 2");
  EXPECT_THAT(without_device().out, HasSubstr("left out: 1 result never certified"));
  EXPECT_THAT(explained(), HasSubstr("certified"));
}

// A newer result of another objective leaves the fastest configuration the one that applications get.
TEST_F(CliVerify, AnObjectiveHasItsOwnResults) {
  ASSERT_TRUE(save_recording(scale_recording_with_energy(), recording));
  ASSERT_EQ(tune({"--objective", "energy"}).code, 0);
  EXPECT_THAT(without_device().out, AllOf(HasSubstr("2 results: 2 not timed"), Not(HasSubstr("left out"))));
  EXPECT_THAT(verify().out, HasSubstr("2 results: 2 hold (recorded, not timed)"));
  sql("UPDATE best SET certified = 0 WHERE session_id = 2");
  const CliResult result = verify();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("1 result: 1 holds"), HasSubstr("left out: 1 result never certified")));
}

TEST_F(CliVerify, BadInput) {
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    std::vector<std::string> all = {"verify"};
    all.insert(all.end(), words.begin(), words.end());
    const CliResult result = cli.run(all);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused({"--device", "toaster"}, "'toaster' is not a device; use auto, cuda:N, recorded");
  refused({"--device", "recored"}, "'recored' is not a device; did you mean 'recorded'? Use auto, cuda:N, recorded");
  refused({"--device", "replay:/nowhere"}, "no recording at /nowhere");
  refused({"--dtype", "fp32"}, "need --kernel");
  refused({"--kernel", "scale", "--dtype", "fp7"}, "no dtype 'fp7'");
  refused({"--kernel", "scale", "--set", "log=1"}, "no flag 'log'");
  for (const char* text : {"", "-1%", "2x", "nan", "1e3", "200%", "%", "2%%"})
    refused({"--tolerance", text}, "tolerance");
  for (const char* text : {"0", "110%", "few"}) refused({"--sample", text}, "is not a valid sample size");
  refused({"--rounds", "4"}, "--rounds takes a whole number from 5 to 1000");
  EXPECT_EQ(cli.run({"verify", "--db", (cli.dir() / "none.db").string()}).code, 5);
  EXPECT_FALSE(fs::exists(cli.dir() / "none.db"));
}

TEST_F(CliVerify, ARecordingOfOtherSourcesJudgesNothing) {
  Recording r = scale_recording();
  r.source_hash = std::string(64, 'a');
  for (Trial& t : r.trials) {
    t.status = TrialStatus::wrong_result;
    t.timing.reset();
  }
  ASSERT_TRUE(save_recording(r, recording));
  const json row = verify_json({}, 0)["results"][0];
  EXPECT_EQ(row["status"], "not_timed");
  EXPECT_THAT(row["evidence"].get<std::string>(), HasSubstr("differ from those of this result"));
  EXPECT_THAT(explained(), HasSubstr("match     exact"));
}

TEST_F(CliVerify, AReadOnlyDatabaseIsSaid) {
  const CliResult result = cli.run({"verify", "--device", "none"}, [&] {
    fs::permissions(db, fs::perms::owner_read);
    fs::permissions(cli.dir().path(),
                    fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
    fs::permissions(db, fs::perms::others_read, fs::perm_options::add);
    drop_root();
  });
  fs::permissions(cli.dir().path(), fs::perms::owner_all);
  EXPECT_EQ(result.code, 5) << result.out;
  EXPECT_THAT(result.err, HasSubstr("read-only"));
}

TEST_F(CliVerify, ShowBestOfASessionThatAnotherSuperseded) {
  record_again(0.9);
  ASSERT_EQ(cli.run({"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + recording}).code, 0);
  const CliResult first = cli.run({"show", "best", "--session", "1"});
  EXPECT_THAT(first.out, AllOf(HasSubstr("10.00 us"), HasSubstr("applications get the result of session 2 instead")));
  EXPECT_THAT(cli.run({"show", "best", "--session", "2"}).out,
              AllOf(HasSubstr("9.00"), Not(HasSubstr("applications get"))));
  EXPECT_EQ(cli.run({"show", "best", "--session", "9"}).code, 4);
  sql("DELETE FROM best_ties; DELETE FROM best");
  EXPECT_THAT(cli.run({"show", "best", "--session", "1"}).out, HasSubstr("session 1 has no result: it is finished"));
}

TEST_F(CliVerify, ExplainSaysWhyAResultIsNotCertified) {
  sql("UPDATE best SET certified = 0, outcome = 'too few rounds to tell'");
  EXPECT_THAT(explained(), HasSubstr("not certified (too few rounds to tell)"));
}

TEST_F(CliVerify, AClosedPipeKeepsWhatWasMarked) {
  const CliResult result = cli.run_into_closed_pipe({"verify", "--device", "replay:" + recording, "--seed", "1"});
  EXPECT_EQ(result.code, 0) << "one row: it was finished before anything was printed";
  EXPECT_THAT(explained(), HasSubstr("last re-checked"));
}

} // namespace
} // namespace warptune
