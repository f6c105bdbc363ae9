// The command line as a user sees it: help with examples, output for people and for programs, exit codes. Mistakes in
// kernels, problems and databases have their own test program (cli_bad_input_test.cpp).
#include "support/run_cli.h"

#include <algorithm>
#include <filesystem>
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

const std::vector<std::string> kCommands = {
    "doctor", "kernels",    "metrics", "roofs",  "space",   "check",      "tune",   "sweep", "show",
    "report", "compare",    "explain", "run",    "profile", "recheck",    "record", "merge", "backup",
    "pack",   "strategies", "replay",  "import", "export",  "completion", "new",    "why",   "capture"};
const std::vector<std::string> kScale = {"scale", "--shape", "rows=64,cols=1024"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct Cli : testing::Test {
  CliRunner cli;
  json parsed(const std::vector<std::string>& words, int code = 0) {
    const CliResult result = cli.run(with(words, {"--json"}));
    EXPECT_EQ(result.code, code) << result.err;
    return json::parse(result.out, nullptr, false);
  }
};

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, end - at);
  }
  return widest;
}

TEST_F(Cli, HelpNamesEveryCommand) {
  const CliResult help = cli.run({"--help"});
  EXPECT_LE(widest_line(help.out), 100U);
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  for (const std::string& command : kCommands) EXPECT_THAT(help.out, HasSubstr("\n  " + command + " "));
  EXPECT_THAT(help.out, Not(HasSubstr("__worker")));
}

TEST_F(Cli, HelpOfEachCommandTeaches) {
  for (const std::string& command : kCommands) {
    const CliResult help = cli.run({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_THAT(help.out, AllOf(HasSubstr("Examples:"), HasSubstr("warptune " + command), HasSubstr("Exit codes:"),
                                HasSubstr("docs/"), HasSubstr("--json")))
        << command;
    EXPECT_EQ(cli.run({"help", command}).out, help.out) << command;
    EXPECT_LE(widest_line(help.out), 100U) << help.out;
    EXPECT_THAT(help.out, AllOf(Not(HasSubstr("x)]")), Not(HasSubstr("]=")), Not(HasSubstr(":{")),
                                Not(HasSubstr("... ...")), Not(HasSubstr("\n\n\n"))));
  }
}

// The error names the alternatives without a GPU that the command has.
TEST_F(Cli, AMissingDriverPointsToOptionsThatThereAre) {
  cli.set("WARPTUNE_LIBCUDA", "/nowhere/libcuda.so.1");
  std::ofstream(cli.dir() / "s.json")
      << R"({"warptune_sweep": 1, "jobs": [{"kernel": "scale", "shapes": ["rows=64,cols=1024"]}]})";
  const std::vector<std::string> problem = {"scale", "--shape", "rows=64,cols=1024", "--device", "cuda:0"};
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {with({"explain"}, problem), "use --device recorded to replay recordings"},
      {with({"profile"}, problem), "use --device recorded to replay recordings"},
      {{"sweep", (cli.dir() / "s.json").string(), "--devices", "all"}, "use --devices recorded to replay recordings"},
      {with({"run"}, problem), ""}};
  for (const auto& [words, hint] : cases) {
    const CliResult none = cli.run(words);
    EXPECT_EQ(none.code, 3) << words[0];
    EXPECT_THAT(none.err, HasSubstr("no NVIDIA driver on this machine")) << words[0];
    EXPECT_THAT(none.err, hint.empty() ? Not(HasSubstr("recorded")) : testing::Matcher<std::string>(HasSubstr(hint)));
  }
}

TEST_F(Cli, Version) { EXPECT_THAT(cli.run({"--version"}).out, testing::MatchesRegex("warptune [0-9.]+\n")); }

TEST_F(Cli, UsageErrorsAreOneSentenceAndExitTwo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
      {{}, "name a command"},
      {{"tnue"}, "did you mean 'tune'? See warptune --help"},
      {{"--colour"}, "has no option '--colour'"},
      {{"tune"}, "tune needs KERNEL"},
      {{"tune", "scale", "--shape"}, "--shape needs one value"},
      {{"tune", "scale", "--shape", "rows=1", "--shape", "rows=2"}, "--shape"},
      {{"tune", "scale", "--bugdet", "10"}, "did you mean --budget?"},
      {{"tune", "scale", "softmax", "--shape", "rows=1"}, "does not take 'softmax'"},
      {{"tune", "scale", "--seed", "-1"}, "--seed"},
      {{"tune", "scale", "--finalists", "0"}, "--finalists"},
      {{"tune", "scale", "--json=maybe"}, "--json"},
      {{"tune", "--bad"}, "tune has no option '--bad'"},
      {{"tune", "scale", "--layout", "nt"}, "'--layout'; if it is a flag of the kernel, write --set layout=VALUE"},
      {{"show"}, "show needs WHAT (best, trials, sessions or devices); see warptune show --help"},
      {{"tune", "scale", "rows=1,cols=1"},
       "write dims as --shape NAME=N,NAME=N without spaces; see warptune tune --help"},
      {{"tune", "scale", "--shape", "rows=1,", "cols=1"}, "tune does not take 'cols=1'; write dims as --shape"},
      {{"tune", "scale", "--shape", "rows=1 cols=1"},
       "dims are separated by commas, not by spaces; write rows=N,cols=N"},
      {{"tune", "--kernel", "scale"},
       "write the kernel after the command: warptune tune KERNEL; see warptune tune --help"},
      {{"show", "best", "scale"},
       "show does not take 'scale'; to select the results of one kernel, use --kernel scale; see"},
      {{"explain", "scale", "--align", "3"}, "--align takes 1, 2, 4, 8 or 16, not '3'; see warptune explain --help"},
      {{"pack", "chek", "a.wtpack"}, "did you mean 'check'? `warptune pack -o FILE` makes a pack"},
      {{"explain"}, "explain needs KERNEL (a shipped kernel's name, or the path of a kernel folder); see"},
      {{"tune", "scale", "--shape", "rows=1,cols=1", "--device", "gpu"}, "use auto, cuda:N, recorded or recorded:PATH"},
      {{"show", "tirals"}, "did you mean 'trials'?"},
      {{"show", "trials", "--session", "many"}, "--session"},
      {{"kernels", "a\x1b[2Jb"}, "unknown kernel"},
      {{"record", "--shape", "rows=1"}, "as in KERNEL --shape"},
      {{"explain", "scale", "--shape", "rows=1,cols=1", "--arch", "sm_80", "--device", "auto"}, "exclude each other"},
  };
  for (const auto& [words, part] : rows) {
    SCOPED_TRACE(testing::PrintToString(words));
    const CliResult result = cli.run(words);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_THAT(result.err, testing::StartsWith("warptune: "));
    EXPECT_THAT(result.err, Not(HasSubstr("\x1b")));
    EXPECT_THAT(result.err, HasSubstr(part));
  }
}

TEST_F(Cli, ErrorsAreJsonForMachines) {
  const json error = parsed({"kernels", "scael"}, 2);
  EXPECT_EQ(error["error"]["kind"], "bad input");
  EXPECT_EQ(error["error"]["code"], 2);
  EXPECT_THAT(error["error"]["message"].get<std::string>(), HasSubstr("scale"));
  EXPECT_EQ(parsed({"tune"}, 2)["error"]["code"], 2) << "usage errors too";
}

TEST_F(Cli, DoctorEndsWellWithoutAGpu) {
  cli.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string()); // only sound kernels
  const CliResult doctor = cli.run({"doctor"});
  EXPECT_EQ(doctor.code, 0) << doctor.out;
  EXPECT_THAT(doctor.out, AllOf(HasSubstr("kernels"), HasSubstr("database"), HasSubstr("NVRTC")));
  if (!std::filesystem::exists("/dev/nvidiactl")) {
    EXPECT_THAT(doctor.out, AllOf(HasSubstr("no GPU here"), HasSubstr("tuning from recordings works"),
                                  HasSubstr("Ready to replay recordings (--device recorded), and to explain")));
  }
  const json checks = parsed({"doctor"})["checks"];
  for (const json& check : checks)
    EXPECT_EQ(check["ok"].get<bool>(), check["remedy"].get<std::string>().empty()) << check;
}

TEST_F(Cli, DoctorNamesWhatIsMissing) {
  cli.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
  std::ofstream(cli.dir() / "text.db") << "text";
  const CliResult doctor = cli.run({"doctor", "--db", (cli.dir() / "text.db").string()});
  EXPECT_EQ(doctor.code, 5) << doctor.out;
  EXPECT_THAT(doctor.out, HasSubstr("Not ready: first fix `database`.\n"));
  std::filesystem::create_symlink("loop.db", cli.dir() / "loop.db");
  const CliResult loop = cli.run({"doctor", "--db", (cli.dir() / "loop.db").string()});
  EXPECT_EQ(loop.code, 5) << loop.out;
  EXPECT_THAT(loop.out, HasSubstr("form a loop"));
}

TEST_F(Cli, DoctorSaysWhichCublasLtItFound) {
  const std::string stand_in = (program_dir() / "libwt_fake_cublaslt.so").string();
  cli.set("WARPTUNE_CUBLASLT", stand_in);
  EXPECT_THAT(cli.run({"doctor"}).out, HasSubstr("ok       cuBLASLt        13.2 at "));
  cli.set("WT_FAKE_CUBLASLT_VERSION", "111103");
  EXPECT_THAT(cli.run({"doctor"}).out, AllOf(HasSubstr("missing  cuBLASLt        no usable cuBLASLt: "),
                                             HasSubstr("is cuBLASLt 11.11"), HasSubstr("WARPTUNE_CUBLASLT")));
}

TEST_F(Cli, ANumberThatIsTooLargeIsToldTheLimit) {
  const CliResult result = cli.run({"tune", "scale", "--seed", "18446744073709551615"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--seed takes a whole number of at least 0 and at most 9223372036854775807, not "
                                    "'18446744073709551615'"));
}

TEST_F(Cli, DoctorLeavesNothingBehind) {
  cli.run({"doctor"});
  EXPECT_FALSE(std::filesystem::exists(cli.dir() / "data"));
  EXPECT_FALSE(std::filesystem::exists(cli.dir() / "cache"));
}

TEST_F(Cli, KernelsForPeopleAndMachines) {
  EXPECT_THAT(cli.run({"kernels"}).out, AllOf(HasSubstr("kernel"), HasSubstr("scale"), HasSubstr("rows, cols")));
  const json scale = parsed({"kernels", "scale"});
  EXPECT_EQ(scale["name"], "scale");
  EXPECT_EQ(scale["dims"].size(), 2U);
  EXPECT_FALSE(parsed({"kernels"})["kernels"].empty());
  const CliResult details = cli.run({"kernels", "scale"});
  for (const char* part : {"param", "VEC", "THREADS", "default", "constraints"})
    EXPECT_THAT(details.out, HasSubstr(part));
}

TEST_F(Cli, SpaceNeedsNoGpu) {
  const json space = parsed(with({"space"}, kScale));
  EXPECT_GT(space["valid"], 0);
  EXPECT_GE(space["combinations"], space["valid"]);
  EXPECT_EQ(parsed(with({"space"}, with(kScale, {"--arch", "sm_80"})))["arch"], "sm_80");
  EXPECT_EQ(parsed(with({"space"}, with(kScale, {"--limit", "0"})))["configs"].size(), space["valid"]) << "all";
}

TEST_F(Cli, ExplainWithoutADatabase) {
  const CliResult text = cli.run(with({"explain"}, kScale));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("default"), HasSubstr("nothing was tuned"), HasSubstr("there is none yet"),
                              HasSubstr("warptune tune scale")));
  const json explained = parsed(with({"explain"}, with(kScale, {"--arch", "sm_75"})));
  EXPECT_EQ(explained["match"], "expected time");
  EXPECT_EQ(explained["database"], nullptr);
  EXPECT_EQ(explained["arch"], "sm_75");
  EXPECT_FALSE(std::filesystem::exists(cli.dir() / "data")) << "asking makes no database";
}

TEST_F(Cli, AWorkerAloneSaysSo) {
  const CliResult worker = cli.run({"__worker"});
  EXPECT_NE(worker.code, 0);
  EXPECT_NE(worker.err, "");
}

// Like `tune`, which skips such configurations.
TEST_F(Cli, SpaceCountsWhereTheDefaultCannotBePlanned) {
  const std::filesystem::path folder = cli.dir() / "op";
  std::filesystem::create_directory(folder);
  for (const char* name : {"kernel.cu", "reference.cu"}) std::ofstream(folder / name) << "// source\n";
  std::ofstream(folder / "spec.json") << R"({"format": 2, "name": "op", "summary": "y = x",
    "problem": {"dims": {"n": {}}, "dtypes": ["fp32"]}, "params": {"V": {"values": [1, 2], "default": 1}},
    "arguments": {"y": {"buffer": "fp32", "count": "n", "role": "output"}},
    "launches": [{"kernel": "k", "grid": ["V - 1"], "block": [32], "args": ["y"]}],
    "reference": {"launches": [{"kernel": "r", "grid": ["n"], "block": [1], "args": ["y"]}]},
    "cost": {"bytes_read": "n", "bytes_written": "n", "flops": {}}, "tolerance": {"default": {"rtol": 1e-6}}})";
  const std::vector<std::string> space = {"space", folder.string(), "--shape", "n=64", "--arch", "sm_90"};
  const CliResult shown = cli.run(space);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("first 2 of 2"), HasSubstr("note: op n=64;fp32 with V=1"),
                               HasSubstr("V=1 (valid, but cannot be launched)"),
                               HasSubstr("of the valid configurations, 1 can be launched here")));
  const json out = parsed(space);
  EXPECT_EQ(out["launchable"], 1);
  EXPECT_EQ(out["default"]["launchable"], false);

  std::ifstream in(folder / "spec.json");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::ofstream(folder / "spec.json") << text.replace(text.find("V - 1"), 5, "n / 99");
  const CliResult none = cli.run(space);
  EXPECT_EQ(none.code, 4);
  EXPECT_THAT(none.err, AllOf(HasSubstr("2 configurations valid, but none can be launched"),
                              HasSubstr("the grid x of 'k' is 0 ('n / 99')")));
}

// The example from the suite omits sizes that the source fixes.
TEST_F(Cli, AnExampleShapeLeavesOutFixedDims) {
  const std::filesystem::path folder = cli.dir() / "op";
  std::filesystem::create_directory(folder);
  for (const char* name : {"kernel.cu", "reference.cu"}) std::ofstream(folder / name) << "// source\n";
  std::ofstream(folder / "spec.json") << R"({"format": 2, "name": "op", "summary": "y = x",
    "problem": {"dims": {"w": {"value": 8}, "n": {}}, "dtypes": ["fp32"]},
    "params": {"V": {"values": [1, 2], "default": 1}},
    "arguments": {"y": {"buffer": "fp32", "count": "n * w", "role": "output"}},
    "launches": [{"kernel": "k", "grid": ["n"], "block": [32], "args": ["y"]}],
    "reference": {"launches": [{"kernel": "r", "grid": ["n"], "block": [1], "args": ["y"]}]},
    "cost": {"bytes_read": "n", "bytes_written": "n", "flops": {}}, "tolerance": {"default": {"rtol": 1e-6}},
    "suites": {"default": [{"w": 8, "n": 64}]}})";
  const CliResult none = cli.run({"tune", folder.string()});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("op needs --shape n=N, for example --shape n=64"));
}

TEST_F(Cli, AnImplementationFromElsewhereJoinsTheKernel) {
  cli.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
  const std::filesystem::path mine = cli.dir() / "mine";
  std::filesystem::create_directory(mine);
  const auto space = [&](const std::filesystem::path& also) {
    return cli.run({"space", "softmax", "--shape", "rows=64,cols=1024", "--arch", "sm_90", "--json", "--also", also});
  };
  EXPECT_THAT(space(mine).err, HasSubstr("no readable implementation.json in this folder"));
  std::ofstream(mine / "kernel.cu") << "template <typename T> __global__ void mine(const T*, T*) {}\n";
  std::ofstream(mine / "implementation.json") << R"({"params": {"SPEED": {"values": ["low", "high"], "default": "low"}},
    "launches": [{"kernel": "mine", "template": [{"type": "dtype"}], "grid": ["rows"], "block": [32], "args": ["x", "y"]}]})";
  const auto size = [](const CliResult& run) { return json::parse(run.out).at("valid").get<int>(); };
  const CliResult alone = cli.run({"space", "softmax", "--shape", "rows=64,cols=1024", "--arch", "sm_90", "--json"});
  for (const std::filesystem::path& folder : {mine, mine / ""}) {
    const CliResult both = space(folder);
    ASSERT_EQ(both.code, 0) << both.err;
    EXPECT_EQ(size(both), size(alone) + 2);
    EXPECT_EQ(json::parse(both.out).at("default"), json::parse(alone.out).at("default"));
  }
  std::filesystem::rename(mine, cli.dir() / "online");
  EXPECT_THAT(space(cli.dir() / "online").err, HasSubstr("has an implementation 'online' already"));
}

} // namespace
} // namespace warptune
