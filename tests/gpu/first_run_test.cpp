// The three commands of an application's first run on a device, with the programs of examples/first_run: run, sweep of
// the collected shapes, run again. Also the collected shapes of a program that is stopped with Ctrl-C or killed.
#include "support/child.h"
#include "support/require_gpu.h"
#include "support/run_cli.h"

#include <csignal>
#include <gmock/gmock.h>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class FirstRunGpu : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    WT_REQUIRE_GPU();
    cli_.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
    ::setenv("XDG_DATA_HOME", (cli_.dir() / "data").c_str(), 1); // the same folder as cli_ uses
    ::setenv("XDG_CACHE_HOME", (cli_.dir() / "cache").c_str(), 1);
    ::unsetenv("WARPTUNE_DB");
    ::unsetenv("WARPTUNE_MISSES");
  }
  std::string program() const { return (program_dir() / "support" / GetParam()).string(); }
  std::string collected() const { return (cli_.dir() / "data" / "warptune" / "warptune.untuned.json").string(); }

  // Its outputs (stdout and stderr); asserts that its result was right.
  std::pair<std::string, std::string> run() const {
    const std::string out = (cli_.dir() / "app.txt").string(), err = (cli_.dir() / "app_err.txt").string();
    EXPECT_EQ(std::system((program() + " 1000000 4096 > " + out + " 2> " + err).c_str()), 0) << read_text(err);
    return {read_text(out), read_text(err)};
  }

  CliRunner cli_;
};

TEST_P(FirstRunGpu, ThreeCommands) {
  const auto [out, err] = run();
  EXPECT_EQ(out, "n=1000000: expected time, correct\nn=4096: expected time, correct\n");
  EXPECT_THAT(err, AllOf(HasSubstr("no database"), HasSubstr("`warptune sweep " + collected() + "`")));
  const CliResult swept = cli_.run({"sweep", collected(), "--budget", "20", "--devices", "cuda:0"});
  EXPECT_EQ(swept.code, 0) << swept.err;
  const auto [out_again, err_again] = run();
  EXPECT_EQ(out_again, "n=1000000: exact, correct\nn=4096: exact, correct\n");
  EXPECT_THAT(err_again, IsEmpty());
}

TEST_P(FirstRunGpu, StoppedOrKilledItHasCollected) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    std::filesystem::remove(collected());
    int to[2], from[2];
    ASSERT_EQ(::pipe(to) + ::pipe(from), 0);
    const pid_t child = start_child([&] {
      ::dup2(to[0], STDIN_FILENO);
      ::dup2(from[1], STDOUT_FILENO);
      for (const int end : {to[0], to[1], from[0], from[1]}) ::close(end);
      ::execl(program().c_str(), program().c_str(), "--wait", "4096", nullptr);
      return 97;
    });
    ::close(to[0]);
    ::close(from[1]);
    std::string said;
    for (char c; said.find("waiting") == std::string::npos && ::read(from[0], &c, 1) == 1;) said += c;
    ::kill(child, signal);
    EXPECT_EQ(wait_child(child), 128 + signal) << said;
    ::close(to[1]);
    ::close(from[0]);
    EXPECT_THAT(read_text(collected()), HasSubstr("n=4096"));
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, FirstRunGpu, testing::Values("first_run_c", "first_run"),
                         [](const auto& tested) { return std::string(tested.param); });

} // namespace
} // namespace warptune::test
