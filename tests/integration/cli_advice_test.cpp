// What a message tells the user to do must work: suggested commands are valid, and each mistake is named as such.
#include "support/recorded_cli.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct CliAdvice : RecordedCli {
  CliAdvice() { cli.set("WARPTUNE_DB", db); }
  void refused(const Words& words, int code, const testing::Matcher<std::string>& message) {
    SCOPED_TRACE(testing::PrintToString(words));
    const CliResult result = cli.run(words);
    EXPECT_EQ(result.code, code) << result.out;
    EXPECT_THAT(result.err, message);
    EXPECT_EQ(result.out, "");
  }
};

TEST_F(CliAdvice, ARecordedProblemIsSuggestedWithOneSetForEachFlag) {
  const CliResult none = cli.run({"tune", "elementwise", "--device", "recorded", "--shape", "rows=1,cols=1"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--dtype bf16 --set function=silu --set bias=none --set other=mul --set out=same"));
  const CliResult valid =
      cli.run({"space", "elementwise", "--shape", "rows=16384,cols=4096", "--dtype", "bf16", "--set", "function=silu",
               "--set", "bias=none", "--set", "other=mul", "--set", "out=same"});
  EXPECT_EQ(valid.code, 0) << valid.err;
}

TEST_F(CliAdvice, AMistypedCommandIsNamedEvenIfAnotherWordIsACommand) {
  for (const char* option : {"--device", "--devices"}) {
    refused({"tun", "softmax", option, "recorded"}, 2, HasSubstr("there is no command 'tun'; did you mean 'tune'?"));
    refused({"swep", "llm", option, "recorded"}, 2, HasSubstr("did you mean 'sweep'?"));
    refused({"foo", option, "recorded"}, 2, HasSubstr("there is no command 'foo'"));
  }
}

TEST_F(CliAdvice, AnOptionWrittenAsACommandIsNamed) {
  refused({"status", "run"}, 2,
          HasSubstr("there is no command 'status'; did you mean `warptune sweep --status`? See "
                    "warptune sweep --help\n"));
  refused({"json"}, 2, HasSubstr("there is no command 'json'; known: "));
  refused({"sweep", "status", "run"}, 2, HasSubstr("sweep does not take 'run'; did you mean --status run?"));
  refused({"sweep", "llm", "run"}, 2, HasSubstr("sweep does not take 'run'; quote values that contain spaces"));
  refused({"sweep", "llm", "--energy", "--quiet", "extra"}, 2, HasSubstr("sweep does not take 'extra'; quote values"));
  refused({"sweep", "llm", "--slurm", "--partion=low"}, 2,
          HasSubstr("no option '--partion'; did you mean --partition?"));
  refused({"sweep", "llm", "--slurm", "-p", "low"}, 2,
          HasSubstr("no option '-p'; if it is an option of sbatch, write --sbatch-option=-pVALUE"));
  refused({"sweep", "llm", "--slurm", "--sbatch-option", "--constraint", "h200"}, 2,
          HasSubstr("sweep does not take 'h200'; write --sbatch-option=--constraint=h200"));
}

TEST_F(CliAdvice, AnEmptyValueIsRefused) {
  for (const char* option : {"--run", "--status", "--db", "--devices"})
    refused({"sweep", "llm", option, ""}, 2,
            HasSubstr(std::string("the value of ") + option +
                      " is empty, perhaps because a script uses a variable that is not set"));
  refused({"tune", "scale", "--shape", kScaleShape, "--device="}, 2, HasSubstr("--device"));
  refused({"merge", "-o", "", "a.db"}, 2, HasSubstr("the value of --output is empty"));
}

TEST_F(CliAdvice, AnOptionBeforeTheCommandIsMovedBehindIt) {
  refused({"-q", "tune", "softmax"}, 2, HasSubstr("put -q after the command: warptune tune softmax -q\n"));
  refused({"--db", "t.db", "show", "best"}, 2, HasSubstr("put --db after the command: warptune show best --db t.db\n"));
  refused({"--db=t.db", "show", "best"}, 2, HasSubstr("put --db after the command: warptune show best --db=t.db\n"));
  refused({"--kernel", "show", "show", "best"}, 2, HasSubstr("warptune show best --kernel show\n"));
  refused({"--colour", "show", "best"}, 2, HasSubstr("has no option '--colour'"));
  const CliResult machine = cli.run({"--json", "show", "best"});
  EXPECT_EQ(machine.code, 2);
  EXPECT_THAT(machine.err, AllOf(HasSubstr("put --json after the command: warptune show best --json\n"),
                                 Not(HasSubstr("did you mean"))));
}

TEST_F(CliAdvice, ASessionOfAnotherKernelIsNamed) {
  ASSERT_EQ(tune().code, 0);
  ASSERT_EQ(cli.run({"tune", "axpy", "--shape", "n=4194304", "--device", "recorded", "--budget", "3"}).code, 0);
  for (const char* view : {"trials", "best", "sessions"}) {
    refused({"show", view, "--kernel", "axpy", "--session", "1"}, 4,
            HasSubstr("session 1 is of scale, not of axpy; `warptune show sessions` lists the sessions"));
    refused({"show", view, "--session", "9"}, 4, HasSubstr("there is no session 9; "));
  }
  refused({"record", "axpy", "--session", "1"}, 4, HasSubstr("session 1 is of scale, not of axpy; "));
  refused({"record", "axpy", "--shape", "n=1024", "--session", "2"}, 4,
          HasSubstr("session 2 is of axpy n=4194304;fp32, not of axpy n=1024;fp32; "));
  EXPECT_EQ(cli.run({"show", "sessions", "--session", "2"}).code, 0);
}

TEST_F(CliAdvice, ExplainTakesTheOnlyDeviceWithResultsOfTheKernel) {
  cli.set("WARPTUNE_LIBCUDA", "/nonexistent/libcuda.so.1");
  Recording other = scale_recording();
  other.device.name = "NVIDIA H100 80GB HBM3";
  ASSERT_TRUE(save_recording(other, recording));
  ASSERT_EQ(tune().code, 0);
  ASSERT_EQ(cli.run({"tune", "axpy", "--shape", "n=4194304", "--device", "recorded", "--budget", "3"}).code, 0);
  const Words explain = {"explain", "scale", "--shape", kScaleShape};
  const CliResult chosen = cli.run(explain);
  EXPECT_EQ(chosen.code, 0) << chosen.err;
  EXPECT_THAT(chosen.out, AllOf(HasSubstr("on NVIDIA H100 80GB HBM3\n"), HasSubstr("match     exact"),
                                HasSubstr("the only device in the database with results of scale")));
  save_scale_recording(recording);
  ASSERT_EQ(tune().code, 0);
  refused(explain, 2, HasSubstr("results of 2 devices; choose one with --device"));
}

TEST_F(CliAdvice, SpaceTakesADeviceOfTheDatabase) {
  const Words space = {"space", "scale", "--shape", kScaleShape, "--device"};
  const auto on = [&](const char* device, const Words& more = {}) {
    Words words = space;
    words.emplace_back(device);
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  refused(on("recored"), 3, HasSubstr("no devices yet; did you mean 'recorded'? Use auto, cuda:N, recorded"));
  refused({"run", "scale", "--shape", kScaleShape, "--device", "autp"}, 2,
          HasSubstr("'autp' is not a device; did you mean 'auto'? Use auto or cuda:N"));
  refused(on("H200"), 3, HasSubstr("no devices yet; use auto, cuda:N, recorded, recorded:PATH or --arch sm_NN"));
  ASSERT_EQ(tune().code, 0);
  const CliResult known = cli.run(on("H200"));
  EXPECT_EQ(known.code, 0) << known.err;
  EXPECT_THAT(known.out, HasSubstr("on NVIDIA H200 (sm_90a; the database)"));
  EXPECT_EQ(cli.run(on("H200", {"--db", db})).code, 0);
  EXPECT_THAT(cli.run({"__complete", "space", "scale", "--device", ""}).out, HasSubstr("NVIDIA H200"));
  EXPECT_EQ(cli.run({"__complete", "report", "--device", ""}).out, "NVIDIA H200\tsm_90a\n");
  EXPECT_EQ(cli.run({"__complete", "pack", "--gpus", "sm_90a,NV"}).out, "sm_90a,NVIDIA H200\tsm_90a\n");
  refused(on("H100"), 3, HasSubstr("no device 'H100' in the database"));
  refused(on("H200", {"--db", in_dir("none.db")}), 5, HasSubstr("there is no database"));
  const CliResult any = cli.run({"space", "scale", "--shape", kScaleShape, "--arch", "sm_80"});
  EXPECT_THAT(any.out, AllOf(HasSubstr("on any sm_80 GPU (limits of the A100)\n"), Not(HasSubstr("table of arch"))));
}

TEST_F(CliAdvice, AMissingFileIsNotAnUnknownKernel) {
  for (const std::string file : {"gemm_milo.json", "none/gemm_milo.json"})
    refused({"space", file}, 2, AllOf(HasSubstr(file + ": no such file"), Not(HasSubstr("known:"))));
}

TEST_F(CliAdvice, AnEnvironmentThatIsNotValidIsAnError) {
  CliRunner templates;
  templates.set("WARPTUNE_TEMPLATES", "/nope:" + data_dir().string());
  const CliResult folder = templates.run({"kernels"});
  EXPECT_EQ(folder.code, 2);
  EXPECT_THAT(folder.err, HasSubstr("WARPTUNE_TEMPLATES names '/nope', which is not a folder"));
  EXPECT_EQ(templates.run({"kernels", "--help"}).code, 0);
  for (const char* value : {"x", "-1", "5s", "nan", "86401"}) {
    CliRunner timeout;
    timeout.set("WARPTUNE_DB_TIMEOUT", value);
    const CliResult refusal = timeout.run({"kernels"});
    EXPECT_EQ(refusal.code, 2) << value;
    EXPECT_THAT(refusal.err, HasSubstr("WARPTUNE_DB_TIMEOUT must be a number of seconds from 0 to 86400, not"));
  }
}

TEST_F(CliAdvice, ARecordingNeedsAPath) {
  refused({"tune", "scale", "--shape", kScaleShape, "--device", "recorded:"}, 2,
          HasSubstr("--device 'recorded:': the path is empty; write `recorded` for the shipped recordings"));
  refused({"tune", "scale", "--shape", kScaleShape, "--device=replay:"}, 2, HasSubstr("the path is empty"));
  refused({"sweep", "llm", "--devices", "recorded:" + recording + ",replay:"}, 2, HasSubstr("the path is empty"));
}

TEST_F(CliAdvice, AMissingDatabaseIsMadeByTune) {
  refused({"show", "best"}, 5,
          AllOf(HasSubstr("there is no database " + db), HasSubstr("makes a database"), Not(HasSubstr("pack"))));
  refused({"show", "best", "--db", in_dir("ops.wtpack")}, 5,
          AllOf(HasSubstr("there is no pack "), HasSubstr("`warptune pack -o FILE` makes a pack")));
  std::ofstream(db).close();
  refused({"show", "best"}, 5,
          AllOf(HasSubstr("nothing was recorded yet in the database " + db), Not(HasSubstr("pack")),
                Not(HasSubstr("make it"))));
  fs::remove(db);
  refused({"why", "scale", "--shape", kScaleShape}, 5, HasSubstr("there is no database"));
}

TEST_F(CliAdvice, WhatIsGivenTwice) {
  refused(
      {"tune", "softmax", "softmax", "--shape", "rows=1,cols=1"}, 2,
      AllOf(HasSubstr("tune does not take 'softmax', because only one kernel can be given"), Not(HasSubstr("spaces"))));
  refused({"explain", "softmax", "--device", "NVIDIA", "H200"}, 2, HasSubstr("quote values that contain spaces"));
  refused({"tune", "softmax", "--dtype", "bf16", "--dtype", "fp16"}, 2,
          HasSubstr("--dtype is given more than once; give it once"));
  refused({"import", "-o", "x.json"}, 2, HasSubstr("import needs FILE (Kernel Tuner caches"));
}

TEST_F(CliAdvice, ExplainSaysThatTheWinnerIsTheDefault) {
  Recording same = scale_recording();
  std::swap(same.trials[0].timing, same.trials[3].timing); // the default is the fastest
  ASSERT_TRUE(save_recording(same, recording));
  ASSERT_EQ(tune().code, 0);
  const CliResult explained = cli.run({"explain", "scale", "--shape", kScaleShape, "--device", "H200"});
  EXPECT_THAT(explained.out, AllOf(HasSubstr("10.00 us"), HasSubstr(", is the default"), Not(HasSubstr("1.00x"))));
}

TEST_F(CliAdvice, HelpNamesWhatTheProgramDoes) {
  const std::string space = cli.run({"space", "--help"}).out;
  EXPECT_THAT(space, AllOf(HasSubstr("`sum` adds"), HasSubstr("--device recorded"),
                           HasSubstr("no usable configuration or result: no configuration is valid\n"),
                           Not(HasSubstr("no kernel matches"))));
  EXPECT_THAT(cli.run({"capture", "--help"}).out, HasSubstr("result: no kernel matches, or no source is known\n"));
  EXPECT_THAT(cli.run({"explain", "--help"}).out, HasSubstr("--device recorded uses the GPU"));
  EXPECT_THAT(cli.run({"new", "--help"}).out, HasSubstr("`warptune check DIR --sample 16`"));
  EXPECT_THAT(cli.run({"recheck", "--help"}).out, HasSubstr("  not timed "));
}

// bash splits the line at '=' and ':' too; the script must join the pieces without the package bash-completion.
TEST_F(CliAdvice, TheBashScriptNeedsNoOtherPackage) {
  ASSERT_EQ(tune({"--db", db}).code, 0);
  const std::string script = in_dir("completion.bash"), asking = in_dir("ask.bash");
  std::ofstream(script) << cli.run({"completion", "bash"}).out;
  std::ofstream(asking) << R"(source "$1"
warptune() { "$PROGRAM" "$@"; }
COMP_LINE=$2 COMP_POINT=${#2}
read -ra COMP_WORDS <<<"${2//=/ = }"
[[ $2 == *\  ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }
_warptune
printf '%s\n' "${COMPREPLY[@]}"
)";
  const auto asked = [&](const std::string& line) {
    const std::string command = "PROGRAM='" + test::cli().string() + "' WARPTUNE_TEMPLATES='" +
                                (data_dir() / "specs").string() + "' WARPTUNE_DB='" + db + "' bash --norc '" + asking +
                                "' '" + script + "' '" + line + "' 2>&1";
    std::string out;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    EXPECT_EQ(::pclose(pipe), 0) << out;
    return out;
  };
  EXPECT_EQ(asked("warptune tu"), "tune\n");
  EXPECT_EQ(asked("warptune tune scale --shape ro"), "rows=\n");
  EXPECT_EQ(asked("warptune tune scale --shape rows=1,co"), "1,cols=\n");
  EXPECT_EQ(asked("warptune tune scale --dtype=fp3"), "fp32\n");
  EXPECT_THAT(asked("warptune tune scale --shape "), AllOf(HasSubstr("rows="), HasSubstr("cols=")));
  EXPECT_EQ(asked("warptune space scale --device NV"), "NVIDIA\\ H200\n") << "a blank is escaped";
  EXPECT_EQ(asked("warptune space scale --device=NV"), "NVIDIA\\ H200\n");
  EXPECT_EQ(asked(R"(warptune space scale --device "NV)"), "NVIDIA H200\n") << "bash closes the open quote";
  EXPECT_EQ(asked(R"(warptune tune scale --dtype f\p3)"), "fp32\n");
}

} // namespace
} // namespace warptune
