// `sweep` through the command line, on recordings: its inputs, its steps, and its output and stored results.
#include "db/reader.h"
#include "search/strategy.h"
#include "support/held_cli.h"
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

// rows=64 as recorded, rows=65 without a correct configuration; nothing else.
struct CliSweep : testing::Test {
  CliRunner cli;
  const std::filesystem::path recordings = cli.dir() / "recordings";
  const std::string file = (cli.dir() / "s.json").string();
  const std::string db = (cli.dir() / "w.db").string();

  CliSweep() {
    std::filesystem::create_directory(recordings);
    save_scale_recording(recordings / "good.json");
    Recording bad = scale_recording();
    bad.problem.replace(bad.problem.find("rows=64"), 7, "rows=65");
    for (Trial& trial : bad.trials) {
      trial.status = TrialStatus::crashed;
      trial.evidence = "illegal address\nand where";
      trial.verdict.reset();
      trial.timing.reset();
    }
    if (Result<void> saved = save_recording(bad, recordings / "bad.json"); !saved)
      throw std::runtime_error(saved.error().message);
    write(R"({"kernel": "scale", "shapes": ["rows=64,cols=1024"]})");
  }

  void write(const std::string& jobs) const {
    std::ofstream(file) << R"({"warptune_sweep": 1, "jobs": [)" + jobs + "]}";
  }
  CliResult sweep(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"sweep", file, "--devices", "replay:" + recordings.string(), "--db", db};
    words.insert(words.end(), more.begin(), more.end());
    return cli.run(words);
  }
  json parsed(const std::vector<std::string>& more, int code = 0) const {
    std::vector<std::string> words = more;
    words.emplace_back("--json");
    const CliResult result = sweep(words);
    EXPECT_EQ(result.code, code) << result.err;
    return json::parse(result.out, nullptr, false);
  }
};

TEST_F(CliSweep, OneLineAJobAndATableAtTheEnd) {
  const CliResult result = sweep();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("1 job on recorded:"), HasSubstr("[1/1] scale rows=64,cols=1024"),
                                HasSubstr(": 10.00 us, "), HasSubstr("(9 configurations, ")));
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("THREADS=64,VEC=1"), HasSubstr("1 job: 1 finished; 9 configurations measured"),
                    HasSubstr("warptune show best --limit 0 --db " + db)));
  EXPECT_THAT(result.out, HasSubstr("1 wrong result, first scale rows=64,cols=1024"));
  EXPECT_THAT(result.out, AllOf(HasSubstr("y[3] is 0 and should be 1\\x1b[2J"), Not(HasSubstr("\x1b"))));
}

TEST_F(CliSweep, JobsThatFailAmongGoodOnesEndInOne) {
  write(R"({"kernel": "scale", "shapes": ["rows=65,cols=1024", "rows=64,cols=1024"]})");
  const CliResult result = sweep();
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("[2/2] "), HasSubstr("2 jobs: 1 finished, 1 failed; "), HasSubstr("jobs that failed\n"),
                    HasSubstr("none of 9 configurations of scale is correct")));
  const json again = parsed({}, 1);
  ASSERT_EQ(again["jobs"].size(), 2U);
  EXPECT_EQ(again["jobs"][0]["state"], "failed");
  EXPECT_EQ(again["jobs"][0]["error"]["kind"], "no candidate");
  EXPECT_EQ(again["jobs"][1]["state"], "finished");
  EXPECT_EQ(again["jobs"][1]["error"], nullptr);
  ASSERT_EQ(again["failures"].size(), 2U);
  EXPECT_EQ(again["failures"][0]["status"], "crashed");
  EXPECT_EQ(again["failures"][0]["count"], 9) << "of the job without a winner";
  EXPECT_EQ(again["failures"][0]["evidence"], "illegal address");
  EXPECT_EQ(again["failures"][1]["status"], "wrong_result");
  EXPECT_EQ(again["failures"][1]["count"], 1);
}

TEST_F(CliSweep, WhatIsNotRecordedIsSaidBeforeTheFirstJob) {
  write(R"({"kernel": "scale", "shapes": ["rows=66,cols=1024"], "flags": {"mode": ["plain"]}},
           {"kernel": "scale", "shapes": ["rows=66,cols=1024"], "seed": 9},
           {"kernel": "scale", "shapes": ["rows=67,cols=1024"]})");
  const CliResult result = sweep();
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, testing::ContainsRegex("^warptune: [^\n]*\n$")) << "one sentence";
  EXPECT_THAT(result.err,
              HasSubstr(recordings.string() + " has no recording for 2 of the 2 problems (scale "
                                              "rows=66,cols=1024;fp32;mode=plain, scale rows=67,cols=1024;fp32"));
  EXPECT_THAT(result.err,
              HasSubstr("; remove these problems from the file, or name other recordings with --devices recorded:PATH; "
                        "without a GPU, tune a recorded problem, such as: warptune tune scale --shape "
                        "rows=64,cols=1024 --dtype fp32 --set mode=plain --device recorded:"));
  EXPECT_FALSE(std::filesystem::exists(db));
}

TEST_F(CliSweep, ProblemsThatAreNotRecordedAreLeftOutAndCounted) {
  write(R"({"kernel": "scale", "shapes": ["rows=64,cols=1024", "rows=66,cols=1024"], "flags": {"mode": ["plain"]}},
           {"kernel": "scale", "shapes": ["rows=66,cols=1024"], "seed": 9},
           {"kernel": "scale", "shapes": ["rows=67,cols=1024"]})");
  const std::string note = "left out 2 of the 3 problems, because " + recordings.string() + " has no recording of them";
  const json dry = parsed({"--dry-run"});
  EXPECT_EQ(dry["jobs"].size(), 1U);
  EXPECT_EQ(dry["notes"][0], note);
  const json out = parsed({});
  ASSERT_EQ(out["jobs"].size(), 1U);
  EXPECT_EQ(out["jobs"][0]["state"], "finished");
  EXPECT_EQ(out["notes"][0], note);
  const CliResult again = sweep({"--resume"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out,
              AllOf(HasSubstr(": 1 job on "), HasSubstr("1 known"), HasSubstr("note: left out 2 of the 3 ")));
}

// A GPU could tune them.
TEST_F(CliSweep, NoProblemIsLeftOutIfADeviceIsAGpu) {
  write(R"({"kernel": "scale", "shapes": ["rows=64,cols=1024", "rows=66,cols=1024"]})");
  const CliResult result = cli.run({"sweep", file, "--devices", "cuda:0,replay:" + recordings.string(), "--db", db});
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr("has no recording for 1 of the 2 problems"));
}

TEST_F(CliSweep, ADatabaseThatCannotBeWrittenIsSaidBeforeTheFirstJob) {
  const CliResult result =
      cli.run({"sweep", file, "--devices", "recorded:" + recordings.string(), "--db", "/proc/w.db"});
  EXPECT_EQ(result.code, 5) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr(": 1 job on "), Not(HasSubstr("[1/1]"))));
  EXPECT_THAT(result.err, HasSubstr("/proc/w.db"));
}

TEST_F(CliSweep, TimesOfTheOtherL2StateAreRefusedBeforeTheFirstJob) {
  write(R"({"kernel": "scale", "shapes": ["rows=64,cols=1024"], "warm_l2": true})");
  const CliResult result = sweep();
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr("was made with a cold L2 cache; leave out \"warm_l2\": true to replay it"));
  cli.use_shipped();
  EXPECT_THAT(cli.run({"sweep", "small", "--devices", "recorded"}).err,
              HasSubstr("was made with a cold L2 cache; this shipped sweep needs a GPU; `recorded` needs none"));
  EXPECT_FALSE(std::filesystem::exists(db));
}

TEST_F(CliSweep, AnObjectiveThatARecordingCannotDecideIsRefusedBeforeTheFirstJob) {
  const CliResult result = sweep({"--objective", "energy"});
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr("contains no energy measurements, which the objective energy needs"));
  EXPECT_FALSE(std::filesystem::exists(db));
}

TEST_F(CliSweep, AShippedSweepWithoutRecordingsSaysWhatToDo) {
  const CliResult result = cli.run({"sweep", "gemm_fp32", "--devices", "recorded"});
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_THAT(result.err, AllOf(HasSubstr("; the shipped sweep `recorded` needs no GPU; without a GPU, "
                                          "tune a recorded problem, such as: "
                                          "warptune tune gemm --shape m="),
                                HasSubstr(" --dtype bf16 --set layout="), HasSubstr(" --device recorded\n"),
                                testing::Not(HasSubstr("remove these problems"))));
}

TEST_F(CliSweep, JsonAloneOnStandardOutput) {
  const CliResult result = sweep({"--json"});
  const json out = json::parse(result.out, nullptr, false);
  EXPECT_EQ(out["interrupted"], false);
  EXPECT_EQ(out["total"], 1);
  EXPECT_EQ(out["jobs"][0]["best"]["config_text"], "THREADS=64,VEC=1");
  for (const char* unknown : {"id", "created_at", "driver", "compiler", "version"})
    EXPECT_FALSE(out["jobs"][0]["best"].contains(unknown)) << unknown;
  EXPECT_THAT(result.err, HasSubstr("[1/1] scale")) << "progress goes elsewhere";
}

TEST_F(CliSweep, TheCommandLineChangesEveryJob) {
  EXPECT_EQ(parsed({"--budget", "4", "--seed", "3"})["jobs"][0]["measured"], 4);
  const auto reader = Reader::open(db);
  ASSERT_TRUE(reader);
  const auto sessions = reader->sessions();
  ASSERT_TRUE(sessions);
  EXPECT_EQ(sessions->front().identity.strategy, kDefaultStrategy);
  EXPECT_EQ(sessions->front().identity.budget, "4");
  EXPECT_EQ(sessions->front().identity.seed, 3U);
}

TEST_F(CliSweep, ARuleOfTheCommandLineEndsEveryJob) {
  const json job = parsed({"--target", "1s"})["jobs"][0];
  EXPECT_EQ(job["ended_by"], "target");
  EXPECT_LT(job["measured"], 9);
  EXPECT_EQ(job["strategy"], kDefaultStrategy);
  EXPECT_EQ(job["budget"], "target 1000000us");
}

TEST_F(CliSweep, ADatabaseThatVanishesEndsItAndIsSaid) {
  write(R"({"kernel": "scale", "shapes": ["rows=64,cols=1024"], "seed": 1},
           {"kernel": "scale", "shapes": ["rows=64,cols=1024"], "seed": 2})");
  const std::string devices = "replay:" + recordings.string();
  const std::string first_line = "sweep " + file + ": 2 jobs on recorded:" + recordings.string() + "\n";
  HeldCli held(cli, {"sweep", file, "--devices", devices, "--db", db},
               first_line.size()); // at the end of the first job
  const auto stored = [&] {
    const auto reader = Reader::open(db);
    const auto sessions = reader ? reader->sessions() : tl::make_unexpected(reader.error());
    return sessions && !sessions->empty() && sessions->front().state == SessionState::finished;
  };
  while (!stored()) ::sched_yield();
  std::filesystem::remove(db);
  (void)held.drain();
  EXPECT_EQ(held.wait(), 5);
  EXPECT_THAT(held.errors(), AllOf(HasSubstr(db), HasSubstr("was deleted, moved or replaced")));
  EXPECT_FALSE(std::filesystem::exists(db)) << "no other takes its place";
}

TEST_F(CliSweep, AClosedStandardOutputIsSaidAtTheEnd) {
  for (const char* form : {"--json", "--energy"}) {
    const CliResult lost =
        cli.run({"sweep", file, "--devices", "replay:" + recordings.string(), "--db", db, form}, [] { ::close(1); });
    EXPECT_EQ(lost.code, 6) << form;
    EXPECT_THAT(lost.err, HasSubstr("standard output was closed"));
  }
  EXPECT_EQ(sweep({"--resume"}).code, 0);
  EXPECT_THAT(sweep({"--resume"}).out, HasSubstr("1 known")) << "the work was done all the same";
}

TEST_F(CliSweep, ADryRunTunesNothing) {
  write(R"({"kernel": "scale", "shapes": ["rows=64,cols=1024", "rows=65,cols=1024"], "budget": 4})");
  const json out = parsed({"--dry-run"});
  EXPECT_EQ(out["device"], "NVIDIA H200");
  EXPECT_EQ(out["jobs"].size(), 2U);
  EXPECT_EQ(out["jobs"][0]["space_size"], 9);
  EXPECT_EQ(out["jobs"][0]["to_try"], 4);
  EXPECT_FALSE(std::filesystem::exists(db));
  const CliResult text = cli.run({"sweep", file, "--dry-run"});
  EXPECT_EQ(text.code, 0) << "without a device: " << text.err;
  EXPECT_THAT(text.out, HasSubstr("2 jobs, at most "));
}

TEST_F(CliSweep, ADryRunRefusesWhatTheRecordingsCannotServe) {
  write(R"({"kernel": "scale", "shapes": ["rows=2,cols=1", "rows=1,cols=1"]})");
  const CliResult dry = sweep({"--dry-run"}), real = sweep();
  EXPECT_EQ(dry.code, 2) << dry.out;
  EXPECT_EQ(dry.err, real.err);
  EXPECT_THAT(dry.err, HasSubstr("has no recording for 2 of the 2 problems (scale rows=2,cols=1"));
}

TEST_F(CliSweep, ADryRunUsesTheDeviceOfEachRecording) {
  Recording other = scale_recording();
  other.problem.replace(other.problem.find("rows=64"), 7, "rows=66");
  other.device.name = "NVIDIA H100 80GB HBM3";
  ASSERT_TRUE(save_recording(other, recordings / "other.json"));
  write(R"({"kernel": "scale", "shapes": ["rows=66,cols=1024"]})");
  EXPECT_EQ(parsed({"--dry-run"})["device"], other.device.name);
  write(R"({"kernel": "scale", "shapes": ["rows=64,cols=1024", "rows=66,cols=1024"]})");
  const json out = parsed({"--dry-run"});
  EXPECT_EQ(out["device"], nullptr);
  EXPECT_EQ(out["jobs"][0]["device"], "NVIDIA H200");
  EXPECT_EQ(out["jobs"][1]["device"], other.device.name);
  EXPECT_THAT(sweep({"--dry-run"}).out, HasSubstr("to try on NVIDIA H100 80GB HBM3 and NVIDIA H200 (the recordings)"));
  const std::string device = "recorded:" + recordings.string();
  for (const char* command : {"space", "explain"})
    EXPECT_THAT(cli.run({command, "scale", "--shape", "rows=66,cols=1024", "--device", device}).out,
                HasSubstr(other.device.name))
        << command;
}

TEST_F(CliSweep, ListsWhatIsShipped) {
  cli.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
  const CliResult list = cli.run({"sweep", "--list"});
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, AllOf(HasSubstr("\ncnn "), HasSubstr("\nllm "), Not(HasSubstr("broken"))));
  const CliResult dry = cli.run({"sweep", "llm", "--dry-run", "--only", "transpose"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_THAT(dry.out, AllOf(HasSubstr("rows=14336,cols=4096;bf16"), Not(HasSubstr("sgemm"))));
}

TEST_F(CliSweep, AKernelsPathIsRelativeToTheFile) {
  std::filesystem::create_directory_symlink(data_dir() / "specs" / "scale", cli.dir() / "mine");
  write(R"({"kernel": "./mine", "shapes": ["rows=64,cols=1024"]})");
  EXPECT_EQ(sweep().code, 0);
}

TEST_F(CliSweep, EveryProblemOfABadFileIsSaid) {
  write(
      R"({"kernel": "scael", "shapes": ["rows=1"]}, {"kernel": "scale", "shapes": ["rows=1,cols=x"], "dtype": "fp32"})");
  const CliResult result = sweep();
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr(file + ": at /jobs/0/kernel: unknown kernel 'scael'; did you mean 'scale'?"),
                                HasSubstr("at /jobs/1: unknown key 'dtype'; did you mean 'dtypes'?"),
                                HasSubstr("at /jobs/1/shapes/0: ")));
  EXPECT_FALSE(std::filesystem::exists(db)) << "nothing was begun";
}

TEST_F(CliSweep, BadUsage) {
  EXPECT_THAT(cli.run({"sweep"}).err, HasSubstr("sweep needs a FILE"));
  EXPECT_EQ(cli.run({"sweep"}).code, 2);
  EXPECT_EQ(cli.run({"sweep", (cli.dir() / "none.json").string()}).code, 2);
  EXPECT_EQ(cli.run({"sweep", cli.dir().path().string()}).code, 2);
  for (const auto& more : std::vector<std::vector<std::string>>{{"--only", "axpy"},
                                                                {"--budget", "lots"},
                                                                {"--strategy", "magic"},
                                                                {"--seed", "-2"},
                                                                {"--target", "fast"},
                                                                {"--stop-below", "1"},
                                                                {"--knowledge", "hint"},
                                                                {"--compile-workers", "0"}})
    EXPECT_EQ(sweep(more).code, 2) << more[0];
  EXPECT_EQ(cli.run({"sweep", file, "--devices", "gpu"}).code, 2);
  for (const std::string& device :
       {"replay:" + (cli.dir() / "none").string(), "replay:" + file, std::string("cuda:-1")}) {
    const CliResult none = cli.run({"sweep", file, "--devices", device, "--db", db});
    EXPECT_EQ(none.code, 2) << device;
    EXPECT_THAT(none.err, testing::ContainsRegex("^warptune: [^\n]*\n$")) << "one sentence";
    EXPECT_EQ(none.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(db));
}

TEST_F(CliSweep, AClosedPipeStoresWhatWasMeasured) {
  write(R"({"kernel": "scale", "shapes": ["rows=64,cols=1024"], "budget": 5},
           {"kernel": "scale", "shapes": ["rows=64,cols=1024"]})");
  const std::vector<std::string> words = {"sweep", file, "--devices", "replay:" + recordings.string(), "--db", db};
  const CliResult stopped = cli.run_into_closed_pipe(words);
  EXPECT_EQ(stopped.code, 130);
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("the output was closed"), HasSubstr("--resume")));
  EXPECT_EQ(sweep({"--resume"}).code, 0);
}

} // namespace
} // namespace warptune
