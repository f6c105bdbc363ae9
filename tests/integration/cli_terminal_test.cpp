// The output of commands in a terminal fits the terminal's width.
#include "support/run_cli.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <pty.h>
#include <sstream>
#include <thread>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CliTerminal : public testing::Test {
 protected:
  CliTerminal() {
    cli_.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
    cli_.set("WARPTUNE_DB", "w.db"); // a short path, which no line must break
    cli_.set("NO_COLOR", "1");
    cli_.set("TERM", "xterm");
  }

  // Runs the command in a terminal of `columns`, in the test's folder.
  std::string shown(const std::vector<std::string>& arguments, int columns) {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = 40;
    int reader = -1, terminal = -1;
    if (::openpty(&reader, &terminal, nullptr, nullptr, &size) != 0) throw std::runtime_error("no terminal");
    std::string output;
    std::thread collector([&] {
      char buffer[4096];
      for (ssize_t n = 0; (n = ::read(reader, buffer, sizeof buffer)) > 0;)
        output.append(buffer, static_cast<std::size_t>(n));
    });
    const CliResult result = cli_.run(arguments, [&] {
      ::dup2(terminal, STDOUT_FILENO);
      if (::chdir(cli_.dir().path().c_str()) != 0) ::_exit(98);
    });
    ::close(terminal);
    collector.join();
    ::close(reader);
    EXPECT_EQ(result.code, 0) << result.err;
    return lines_of(output);
  }

  // Each state of a line counts as a line, so progress that overwrites itself gives several.
  static std::string lines_of(std::string output) {
    for (std::size_t at = 0; (at = output.find("\x1B[", at)) != std::string::npos;) // such as "erase", "3 lines up"
      output.erase(at, output.find_first_of("AJK", at) + 1 - at);
    for (std::size_t at = 0; (at = output.find("\r\n", at)) != std::string::npos;) output.erase(at, 1);
    std::replace(output.begin(), output.end(), '\r', '\n');
    return output;
  }

  // Lines that are too wide, except commands to copy and single words (paths), which a line break would damage.
  static std::vector<std::string> too_wide(const std::string& output, std::ptrdiff_t columns) {
    std::vector<std::string> found;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t last_blank = line.find_last_of(' ');
      const bool is_word = last_blank == std::string::npos || last_blank < 30;
      const auto width = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
      if (width > columns && !line.starts_with("  warptune ") && !is_word) found.push_back(line);
    }
    return found;
  }

  CliRunner cli_;
};

TEST_F(CliTerminal, WhatTheReadmeRunsFits) {
  const std::vector<std::string> problem = {"softmax", "--shape", "rows=32768,cols=4096", "--dtype", "bf16"};
  const auto of_problem = [&](std::vector<std::string> words, const std::vector<std::string>& more = {}) {
    words.insert(words.end(), problem.begin(), problem.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::vector<std::vector<std::string>> commands = {
      {"--help"},
      {"sweep", "--help"},
      {"sweep", "--list"},
      {"sweep", "llm", "--dry-run"},
      {"strategies"},
      {"kernels"},
      {"space", "sgemm", "--shape", "m=4096,n=4096,k=4096"},
      {"doctor"},
      of_problem({"tune"}, {"--device", "recorded", "--budget", "20", "--seed", "1"}),
      {"explain", "softmax", "--shape", "rows=20000,cols=5000", "--dtype", "bf16"},
      {"show", "best"},
      of_problem({"why"}),
      {"report"},
      {"kernels", "softmax"}};
  for (const int columns : {80, 120}) {
    for (const auto& command : commands) {
      const std::string output = shown(command, columns);
      EXPECT_FALSE(output.empty()) << command.front();
      EXPECT_THAT(too_wide(output, columns), testing::IsEmpty()) << command.front() << " at " << columns;
    }
  }
}

TEST_F(CliTerminal, TheListOfKernelsHasWholeSummaries) {
  for (const int columns : {80, 120}) {
    const std::string list = shown({"kernels"}, columns);
    EXPECT_THAT(list, AllOf(HasSubstr("\naxpy "),
                            HasSubstr("\n    dims: n\n    summary: y = alpha * x + y over n elements\n"),
                            HasSubstr("\nhidden columns: flags; --wide shows them\n")));
    EXPECT_THAT(list, Not(testing::ContainsRegex("[^ ]\\.\\.\\.")));
  }
  EXPECT_THAT(shown({"kernels", "--wide"}, 80), AllOf(HasSubstr("  flags "), Not(HasSubstr("hidden columns"))));
}

TEST_F(CliTerminal, SessionsNameTheHiddenColumns) {
  shown({"tune", "axpy", "--shape", "n=65536", "--device", "recorded", "--budget", "5", "--seed", "1"}, 80);
  const std::string narrow = shown({"show", "sessions"}, 80);
  EXPECT_THAT(narrow, AllOf(HasSubstr("\nhidden columns: "), HasSubstr("shows them\n")));
  EXPECT_THAT(too_wide(narrow, 80), testing::IsEmpty());
  EXPECT_THAT(shown({"show", "sessions", "--wide"}, 80), AllOf(HasSubstr("started"), Not(HasSubstr("hidden columns"))));
  EXPECT_THAT(shown({"show", "sessions"}, 200), AllOf(HasSubstr("started"), Not(HasSubstr("hidden columns"))));
}

TEST_F(CliTerminal, TablesOfResultsFit) {
  const auto tune = [&](const char* seed, const char* db) {
    shown({"tune", "softmax", "--shape", "rows=32768,cols=4096", "--dtype", "bf16", "--device", "recorded", "--budget",
           "20", "--seed", seed, "--db", db},
          80);
  };
  tune("1", "w.db");
  tune("2", "other.db");
  const std::vector<std::vector<std::string>> commands = {
      {"compare", "w.db", "other.db"},
      {"recheck", "--device", "none"},
      {"recheck", "--device", "recorded", "--tolerance", "50%", "--seed", "1"},
      {"why", "softmax", "--shape", "rows=32768,cols=4096", "--dtype", "bf16", "--device", "recorded"}};
  for (const int columns : {80, 120})
    for (const auto& command : commands) {
      const std::string output = shown(command, columns);
      EXPECT_THAT(too_wide(output, columns), testing::IsEmpty()) << command.front() << " at " << columns;
      EXPECT_THAT(output, Not(HasSubstr("..."))) << command.front() << " at " << columns;
    }
  const std::string narrow = shown(commands.front(), 80);
  EXPECT_THAT(narrow, AllOf(HasSubstr("\n    problem: rows=32768,cols=4096;bf16;log=0\n"),
                            HasSubstr("\nhidden columns: device; --wide shows them\n")));
  EXPECT_THAT(shown({"compare", "w.db", "other.db", "--wide"}, 80),
              AllOf(HasSubstr("  device  "), HasSubstr("  other changes\n"), Not(HasSubstr("hidden columns"))));
  EXPECT_THAT(shown({"recheck", "--device", "none", "--wide"}, 80), HasSubstr("  status     reason\n"));
}

TEST_F(CliTerminal, MetricsFit) {
  if (cli_.run({"doctor"}).out.find("ok       CUPTI") == std::string::npos) GTEST_SKIP() << "no CUPTI here";
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {}, {"--metric-set", "roofline"}, {"--metrics", "lean"}, {"--filter", "bank conflict"}}) {
    std::vector<std::string> command = {"metrics"};
    command.insert(command.end(), more.begin(), more.end());
    for (const int columns : {80, 120}) {
      const std::string output = shown(command, columns);
      EXPECT_THAT(too_wide(output, columns), testing::IsEmpty()) << testing::PrintToString(command);
      EXPECT_THAT(output, Not(HasSubstr("..."))) << testing::PrintToString(command);
    }
  }
  EXPECT_THAT(shown({"metrics", "--filter", "bank conflict"}, 80), HasSubstr("\nhidden columns: kind, unit; --wide "));
  EXPECT_THAT(shown({"metrics", "--filter", "bank conflict", "--wide"}, 80), HasSubstr("  kind     unit  "));
}

TEST_F(CliTerminal, PacksFit) {
  if (cli_.run({"doctor"}).out.find("ok       NVRTC") == std::string::npos) GTEST_SKIP() << "no NVRTC here";
  shown({"tune", "axpy", "--shape", "n=65536", "--device", "recorded", "--budget", "5", "--seed", "1"}, 80);
  EXPECT_THAT(too_wide(shown({"pack", "--programs", "1", "-o", "ops.wtpack"}, 80), 80), testing::IsEmpty());
  const std::string list = shown({"pack", "list", "ops.wtpack"}, 80);
  EXPECT_THAT(too_wide(list, 80), testing::IsEmpty());
  EXPECT_THAT(list.substr(0, list.find('\n')),
              AllOf(HasSubstr("worst loss"), HasSubstr("size"), Not(HasSubstr("guarded"))));
  EXPECT_THAT(list, AllOf(HasSubstr("\nhidden columns: "), HasSubstr("shows them\n")));
  EXPECT_THAT(shown({"pack", "list", "ops.wtpack", "--wide"}, 80),
              AllOf(HasSubstr("  untuned worst  "), Not(HasSubstr("hidden columns"))));
  EXPECT_THAT(shown({"pack", "list", "ops.wtpack"}, 160), HasSubstr("guarded"));
  EXPECT_THAT(too_wide(shown({"pack", "check", "ops.wtpack"}, 80), 80), testing::IsEmpty());
}

TEST_F(CliTerminal, CheckShowsWholeConfigurations) {
  const std::string output = shown({"check", "softmax", "--device", "none", "--arch", "sm_90a", "--sample", "1",
                                    "--shape", "rows=32768,cols=4096", "--dtype", "bf16"},
                                   80);
  EXPECT_THAT(output, AllOf(HasSubstr("\n    implementation="), Not(HasSubstr("..."))));
}

TEST_F(CliTerminal, ASweepCutsNothing) {
  cli_.set("WARPTUNE_RECORDINGS", (share_dir() / "recordings").string());
  std::ofstream(cli_.dir() / "s.json") << R"({"warptune_sweep": 1, "jobs": [{"kernel": "gemm", "dtypes": ["bf16"],
      "flags": {"layout": ["nt"]}, "shapes": ["m=24,n=6144,k=4096", "m=128,n=128,k=64,batch=256"]}]})";
  const auto sweep = [&](int columns, const char* db, const std::vector<std::string>& more) {
    std::vector<std::string> command = {"sweep", "s.json", "--devices", "recorded", "--budget",
                                        "2",     "--seed", "1",         "--db",     db};
    command.insert(command.end(), more.begin(), more.end());
    return shown(command, columns);
  };
  for (const auto& [columns, db] : {std::pair{80, "80.db"}, std::pair{120, "120.db"}}) {
    const std::string output = sweep(columns, db, {});
    EXPECT_THAT(too_wide(output, columns), IsEmpty()) << columns;
    EXPECT_THAT(output, Not(testing::ContainsRegex("[^.#[]\\.\\.\\."))) << "only a progress bar has dots";
    EXPECT_THAT(output, testing::ContainsRegex("\n\\[[0-9]+/[0-9]+\\] gemm [^ ]+ recorded: .* us, .*x default\n"));
    EXPECT_THAT(output, HasSubstr(columns == 80 ? "\nhidden columns: roofline, ok, failed, state, config; --wide shows"
                                                : "\nhidden columns: config; --wide shows them\n"));
  }
  EXPECT_THAT(sweep(80, "80.db", {"--resume", "--wide"}),
              AllOf(testing::ContainsRegex("  state +config\n"), Not(HasSubstr("hidden columns"))));
}

TEST_F(CliTerminal, TheStateOfARunFits) {
  cli_.set("WARPTUNE_RECORDINGS", (share_dir() / "recordings").string());
  shown({"sweep", "recorded", "--devices", "recorded", "--budget", "1", "--run", "r", "--slurm", "--no-submit"}, 100);
  const std::string state = shown({"sweep", "--status", "r"}, 50);
  EXPECT_THAT(too_wide(state, 50), IsEmpty());
  EXPECT_THAT(state, AllOf(HasSubstr("no process has started; to start the"), HasSubstr("r/logs\n")));
}

} // namespace
} // namespace warptune::test
