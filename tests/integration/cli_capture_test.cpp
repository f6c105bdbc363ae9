// `capture` as a user runs it, on an application with stand-ins for libcuda and CUPTI. The compiler is real.
#include "jit/compiler.h"
#include "support/run_cli.h"

#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Words = std::vector<std::string>;
using nlohmann::json;
namespace fs = std::filesystem;

class CliCapture : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
    cli_.set("WARPTUNE_LIBCUPTI", stand_in());
  }
  static std::string stand_in() { return (program_dir() / "fake_capture_cuda" / "libcuda.so.1").string(); }
  static std::string support(const char* name) { return (program_dir() / "support" / name).string(); }
  static Words app(const Words& more) {
    Words words = {"/usr/bin/env", "LD_LIBRARY_PATH=" + fs::path(stand_in()).parent_path().string(),
                   support("capture_app")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  fs::path out() const { return cli_.dir() / "out"; }
  CliResult run(Words options, const Words& application, const std::function<void()>& before = {}) const {
    options.insert(options.begin(), "capture");
    options.emplace_back("--");
    options.insert(options.end(), application.begin(), application.end());
    return cli_.run(options, before);
  }
  CliResult list(const Words& more, const Words& options = {}) const {
    Words words = {"--list"};
    words.insert(words.end(), options.begin(), options.end());
    return run(words, app(more));
  }
  CliResult capture(const Words& more, const Words& options = {}, const std::function<void()>& before = {}) const {
    Words words = {"--arch", "sm_90a", "-o", out().string()};
    words.insert(words.end(), options.begin(), options.end());
    return run(words, app(more), before);
  }
  std::string spec(const std::string& kernel) const { return read_text(out() / kernel / "spec.json"); }
  static std::string texts(const CliResult& result) { return result.out + result.err; }

  CliRunner cli_;
};

TEST_F(CliCapture, ListRanksByDeviceTime) {
  const CliResult shown = list({"foreign"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, StartsWith("sum 12288.0\n share")); // the application's own output, then the table
  EXPECT_LT(shown.out.find("foreign"), shown.out.find("saxpy"));
  EXPECT_THAT(shown.out, AllOf(HasSubstr("59.3 %      3.00 us      3  1.00 us  SASS only  foreign"),
                               HasSubstr("2.06 us      2  1.03 us  NVRTC      saxpy"), HasSubstr("cannot tune it")));
  const CliResult quiet = list({"foreign"}, {"--json"});
  const json all = json::parse(quiet.out);
  EXPECT_EQ(quiet.err, "sum 12288.0\n");
  EXPECT_EQ(all.at("kernels").at(0).at("calls"), 3);
  EXPECT_DOUBLE_EQ(all.at("kernels").at(0).at("device_us"), 3.003);
  EXPECT_GE(all.at("kernels").at(0).at("min_us"), 1.0);
  EXPECT_EQ(all.at("kernels").at(1).at("source_known"), true);
  EXPECT_EQ(all.at("application").at("exit_code"), 0);
}

TEST_F(CliCapture, AFolderIsWhatTheApplicationRan) {
  const CliResult made = capture({"shapes"});
  EXPECT_EQ(made.code, 0) << texts(made);
  EXPECT_THAT(made.out, AllOf(StartsWith("sum 3145728.0\nsum 300009.0\nsum 3145728.0\n"), HasSubstr("3 problems"),
                              HasSubstr("--shape n=1048576")));
  EXPECT_THAT(spec("saxpy"),
              AllOf(HasSubstr(R"("BLOCK": {"values": [64, 128, 256], "default": 128,)"),
                    HasSubstr(R"("compile": {"options": ["--use_fast_math"], "defines": )"),
                    HasSubstr(R"x("grid": ["ceil_div(n, BLOCK)"], "block": ["BLOCK"], "args": ["x", "y", "a", "n"])x"),
                    HasSubstr(R"("x": {"buffer": "fp32", "count": "n", "role": "input"})"),
                    HasSubstr(R"("y": {"buffer": "fp32", "count": "n", "role": "inout"})"),
                    HasSubstr(R"("a": {"scalar": "fp32", "value": 2.5})"),
                    HasSubstr(R"("suites": {"default": [{"n": 1048576}, {"n": 100003}]})")));
  EXPECT_EQ(read_text(out() / "saxpy" / "scale_types.h"), "typedef REAL real;\n");
  const CliResult checked = cli_.run({"check", (out() / "saxpy").string(), "--arch", "sm_90a"});
  EXPECT_EQ(checked.code, 0) << texts(checked);
  const CliResult space = cli_.run({"space", (out() / "saxpy").string(), "--shape", "n=1000", "--arch", "sm_90a"});
  EXPECT_EQ(space.code, 0) << texts(space);
}

TEST_F(CliCapture, RecordsMakeTheSameFoldersAgain) {
  ASSERT_EQ(capture({"gather"}).code, 0);
  const std::string first = spec("gather");
  EXPECT_THAT(first, AllOf(HasSubstr(R"("role": "input", "fill": {"integers": [0, 63]})"),
                           HasSubstr(R"("out": {"buffer": "fp32", "count": "n", "role": "output"})"),
                           HasSubstr(R"("table": {"buffer": "fp32", "count": "64", "role": "input"})"),
                           HasSubstr(R"("kernel": "app::gather", "template": [{"type": "dtype"}, "kStep"])"),
                           HasSubstr(R"x("grid": ["ceil_div(n, 256)"], "block": ["256"])x")));
  const fs::path again = cli_.dir() / "again";
  const CliResult made =
      cli_.run({"capture", "--records", (out() / "records").string(), "-o", again.string(), "--arch", "sm_90a"});
  EXPECT_EQ(made.code, 0) << texts(made);
  EXPECT_EQ(read_text(again / "gather" / "spec.json"), first);
}

TEST_F(CliCapture, WithoutContentsNothingIsCopied) {
  ASSERT_EQ(capture({"gather"}, {"--contents", "0"}).code, 0);
  EXPECT_THAT(spec("gather"), Not(HasSubstr("fill\":")));
  for (const auto& file : fs::directory_iterator(out() / "records")) EXPECT_EQ(file.path().extension(), ".jsonl");
  fs::remove_all(out());
  ASSERT_EQ(capture({"gather"}, {"--contents", "1K"}).code, 0);
  for (const auto& file : fs::directory_iterator(out() / "records"))
    EXPECT_LE(file.path().extension() == ".bin" ? file.file_size() : 0, 1024U);
}

TEST_F(CliCapture, GraphsLibrariesAndContexts) {
  const CliResult graph = capture({"graph"});
  EXPECT_EQ(graph.code, 0) << texts(graph);
  EXPECT_THAT(graph.out, HasSubstr("1 problem, 5.32 us in 5 calls"));
  for (const auto& file : fs::directory_iterator(out() / "records")) EXPECT_EQ(file.path().extension(), ".jsonl");
  fs::remove_all(out());
  const CliResult library = capture({"library"}); // with a CUkernel handle, and with cuLaunchKernelEx
  EXPECT_EQ(library.code, 0) << texts(library);
  EXPECT_THAT(spec("saxpy"), HasSubstr(R"("default": [{"n": 1000}])"));
  fs::remove_all(out());
  const CliResult contexts = capture({"contexts"});
  EXPECT_THAT(contexts.out, HasSubstr("1 problem, 2.03 us in 2 calls"));
}

TEST_F(CliCapture, BuffersThatMoveAreOneProblem) {
  const CliResult made = capture({"moving"});
  EXPECT_EQ(made.code, 0) << texts(made);
  EXPECT_THAT(made.out, AllOf(HasSubstr("1 problem, "), HasSubstr("in 200 calls"), Not(HasSubstr("more than 64"))));
}

TEST_F(CliCapture, ForkedProcessesAreSeenOnce) {
  const CliResult forked = capture({"fork"});
  EXPECT_EQ(forked.code, 0) << texts(forked);
  EXPECT_THAT(forked.out, AllOf(StartsWith("sum 1536.0\nsum 3072.0\nchild\n"), HasSubstr("2 problems"),
                                HasSubstr("in 2 calls"), Not(HasSubstr("did not exit normally"))));
}

TEST_F(CliCapture, WhatACrashLeavesIsUsed) {
  for (const auto& [mode, signal] : {std::pair{"crash", "signal 11"}, std::pair{"kill", "signal 9"}}) {
    const CliResult ended = capture({mode});
    EXPECT_EQ(ended.code, 1) << texts(ended);
    EXPECT_THAT(ended.out, StartsWith("sum 196608.0\n"));
    EXPECT_THAT(texts(ended), AllOf(HasSubstr(signal), HasSubstr("did not exit normally"), HasSubstr("in 3 calls")));
    EXPECT_TRUE(fs::exists(out() / "saxpy" / "spec.json"));
    fs::remove_all(out());
  }
}

TEST_F(CliCapture, TheApplicationsExitCodeIsReported) {
  const CliResult failed = capture({"exit", "7"}, {"--json"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(json::parse(failed.out).at("application").at("exit_code"), 7);
  EXPECT_EQ(json::parse(failed.out).at("folders").at(0).at("calls"), 3);
}

TEST_F(CliCapture, NothingObservedIsSaid) {
  const CliResult none = list({"none"});
  EXPECT_EQ(none.code, 3);
  EXPECT_EQ(none.out, "no CUDA\n");
  EXPECT_THAT(none.err, HasSubstr("did not use CUDA"));
  const CliResult idle = list({"init"});
  EXPECT_EQ(idle.code, 3);
  EXPECT_THAT(idle.err, HasSubstr("ran no kernel"));
  cli_.set("FAKE_CUPTI", "busy");
  const CliResult busy = list({"shapes"});
  EXPECT_EQ(busy.code, 3);
  EXPECT_THAT(busy.out, StartsWith("sum 3145728.0\n")); // the application ran as without capture
  EXPECT_THAT(busy.err, HasSubstr("another tool"));
}

TEST_F(CliCapture, WithoutCuptiTheApplicationRunsAsAlways) {
  cli_.set("WARPTUNE_LIBCUPTI", "/nonexistent/libcupti.so");
  const CliResult missing = list({"exit", "5"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.out, StartsWith("sum 196608.0\n"));
  EXPECT_THAT(texts(missing),
              AllOf(HasSubstr("no usable CUPTI"), HasSubstr("/nonexistent/libcupti.so"), HasSubstr("exited with 5")));
}

TEST_F(CliCapture, NoKernelOrNoSource) {
  const CliResult none = capture({"gather"}, {"--kernel", "^nothing$"});
  EXPECT_EQ(none.code, 4);
  EXPECT_THAT(none.err, HasSubstr("no kernel matches"));
  fs::remove_all(out());
  const CliResult blind = capture({"gather"}, {"--no-sources"});
  EXPECT_EQ(blind.code, 4);
  EXPECT_THAT(blind.err, HasSubstr("no matching kernel has a known source"));
  fs::remove_all(out());
  // Names without their namespace and arguments match as well.
  const CliResult plain = capture({"foreign"}, {"--kernel", "app::|saxpy"});
  EXPECT_EQ(plain.code, 0);
  EXPECT_TRUE(fs::exists(out() / "saxpy"));
}

TEST_F(CliCapture, WrongUsageRunsNothing) {
  const auto refused = [&](const CliResult& result, const std::string& what) {
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_THAT(result.out, Not(HasSubstr("sum")));
    EXPECT_THAT(result.err, HasSubstr(what));
    EXPECT_FALSE(fs::exists(out() / "records"));
  };
  refused(cli_.run({"capture", "--list"}), "needs an application");
  refused(run({"-o", out().string()}, {"./no-such-program"}), "there is no program './no-such-program'");
  refused(run({"-o", out().string()}, {"/tmp"}), "cannot start '/tmp': Permission denied");
  refused(capture({"gather"}, {"--kernel", "a("}), "--kernel 'a('");
  refused(capture({"gather"}, {"--contents", "1X"}), "--contents '1X'");
  refused(capture({"gather"}, {"--records", "/tmp"}), "needs an application");
  refused(run({"--arch", "sm_1", "-o", out().string()}, app({"gather"})), "unknown architecture or GPU 'sm_1'");
  refused(cli_.run({"capture", "--records", "/nonexistent", "--list"}), "cannot read the records");
  fs::create_directory(out());
  std::ofstream(out() / "mine") << "x";
  refused(capture({"gather"}), "is not empty");
  EXPECT_TRUE(fs::exists(out() / "mine"));
  cli_.set("CUDA_INJECTION64_PATH", "/opt/other.so");
  refused(list({"gather"}), "another tool");
}

TEST_F(CliCapture, TheApplicationsWordsAreItsOwn) {
  const CliResult echoed = run({"--list"}, {"/bin/echo", "--device", "0", "--json", "--help", "-o", "x"});
  EXPECT_EQ(echoed.code, 3);
  EXPECT_EQ(echoed.out, "--device 0 --json --help -o x\n");
}

TEST_F(CliCapture, SharedMemoryIsPartOfAProblem) {
  const CliResult made = capture({"dynamic"});
  EXPECT_THAT(made.out, HasSubstr("saxpy: 2 problems,")) << texts(made);
}

TEST_F(CliCapture, NothingObservedLeavesNothing) {
  const Words options = {"-o", out().string(), "--arch", "sm_90a"};
  for (int twice = 0; twice < 2; ++twice) {
    const CliResult none = run(options, {"/bin/true"});
    EXPECT_EQ(none.code, 3);
    EXPECT_THAT(none.err, HasSubstr("the application did not use CUDA"));
    EXPECT_FALSE(fs::exists(out()));
  }
  const fs::path records = cli_.dir() / "old";
  fs::create_directory(records);
  std::ofstream(records / "1.jsonl") << "\x01\n{\n";
  const CliResult unreadable =
      cli_.run({"capture", "--records", records.string(), "-o", out().string(), "--arch", "sm_90a"});
  EXPECT_EQ(unreadable.code, 3);
  EXPECT_THAT(unreadable.err, HasSubstr("cannot read any of the records: their format is unknown (2 lines)"));
  EXPECT_FALSE(fs::exists(out()));
  EXPECT_TRUE(fs::exists(records / "1.jsonl"));
  cli_.set("TMPDIR", "/nonexistent");
  EXPECT_THAT(run({"--list"}, {"/bin/true"}).err, HasSubstr("TMPDIR is not a folder"));
}

TEST_F(CliCapture, AFullDiskDoesNotDisturbTheApplication) {
  const CliResult limited = capture({"shapes"}, {}, [] {
    const rlimit limit{3000, 3000};
    ::setrlimit(RLIMIT_FSIZE, &limit); // also the output that this test reads, which is short
  });
  EXPECT_THAT(limited.out, StartsWith("sum 3145728.0\nsum 300009.0\nsum 3145728.0\n"));
  EXPECT_THAT(texts(limited), Not(HasSubstr("signal")));
}

TEST_F(CliCapture, WorkThatDoesNotEndIsNotWaitedForLong) {
  cli_.set("FAKE_BUSY_STREAM", "1");
  const CliResult made = capture({"shapes"});
  EXPECT_EQ(made.code, 0) << texts(made);
  EXPECT_THAT(
      texts(made),
      HasSubstr("the contents of buffers are no longer copied: the work before the launch did not finish in time"));
}

TEST_F(CliCapture, SignalsReachTheApplication) {
  const CliResult ended = run({"--list"}, {"/bin/sh", "-c",
                                           "trap 'echo term; exit 3' TERM; kill -INT $PPID; sleep 0.2; echo alive; "
                                           "kill -TERM $PPID; sleep 1; sleep 1; echo late"});
  // An exit code of warptune is not a signal.
  EXPECT_EQ(ended.out, "alive\nterm\nnote: the application exited with 3\n");
  EXPECT_EQ(ended.code, 3);
}

TEST_F(CliCapture, FunctionsOfNvrtcThatALoaderBinds) {
  for (const Words& words :
       {Words{support("capture_direct_app")}, // linked to libcuda
        Words{support("capture_app"), "plugin", (program_dir() / "support" / "libcapture_plugin.so").string()}}) {
    const CliResult made = run({"--arch", "sm_90a", "-o", out().string()}, words);
    EXPECT_THAT(made.out, StartsWith("compiled with 0\n"));
    std::string records;
    for (const auto& file : fs::directory_iterator(out() / "records")) records += read_text(file.path());
    EXPECT_THAT(records, AllOf(HasSubstr(R"("source":"__global__ void direct() {}")"),
                               HasSubstr(R"("options":["-DX=1"])"), HasSubstr(R"("result":0)")));
    fs::remove_all(out());
  }
}

} // namespace
} // namespace warptune
