// Ctrl-C, SIGTERM and SIGHUP during `tune` and `verify`. The program is held at its first line of output, so the signal
// arrives at a fixed point: after the signal handlers are installed, before any measurement.
#include "support/held_cli.h"
#include "support/recorded_cli.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;

struct CliStop : RecordedCli {
  std::vector<std::string> words() const { return tuning({"--db", db}); }
};

TEST_F(CliStop, CtrlCSavesAndSaysHowToResume) {
  HeldCli held(cli, words(), 0);
  ASSERT_TRUE(held.wait_for_handler());
  held.signal(SIGINT);
  const std::string out = held.drain();
  EXPECT_EQ(held.wait(), 130);
  EXPECT_THAT(held.errors(), HasSubstr("stopping"));
  EXPECT_THAT(out, AllOf(HasSubstr("stopped: scale"), HasSubstr("To resume:"), HasSubstr("--db " + db + " --resume")));

  std::vector<std::string> again = words();
  again.emplace_back("--resume");
  const CliResult resumed = cli.run(again);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, AllOf(HasSubstr("9/9"), HasSubstr("session 1"))) << "the same session goes on";
}

TEST_F(CliStop, ASecondCtrlCEndsAtOnce) {
  HeldCli held(cli, words(), 0);
  ASSERT_TRUE(held.wait_for_handler());
  held.signal(SIGINT);
  ASSERT_TRUE(held.wait_for_error("stopping"));
  held.signal(SIGINT);
  EXPECT_EQ(held.wait(), 128 + SIGINT) << "though nobody reads what it wants to write";
}

// timeout(1) sends it first to its child and then to the child's process group.
TEST_F(CliStop, TermSavesHoweverOftenItComes) {
  HeldCli held(cli, words(), 0);
  ASSERT_TRUE(held.wait_for_handler());
  held.signal(SIGTERM);
  ASSERT_TRUE(held.wait_for_error("stopping"));
  held.signal_group(SIGTERM);
  const std::string out = held.drain();
  EXPECT_EQ(held.wait(), 130);
  EXPECT_THAT(out, AllOf(HasSubstr("stopped: scale"), HasSubstr("--db " + db + " --resume")));
}

// The terminal was closed, or the connection broke; a shell that ends sends it once more.
TEST_F(CliStop, AHangUpSavesAsTermDoes) {
  HeldCli held(cli, words(), 0);
  ASSERT_TRUE(held.wait_for_handler());
  held.signal(SIGHUP);
  ASSERT_TRUE(held.wait_for_error("stopping"));
  held.signal_group(SIGHUP);
  const std::string out = held.drain();
  EXPECT_EQ(held.wait(), 130);
  EXPECT_THAT(out, HasSubstr("stopped: scale"));
}

TEST_F(CliStop, VerifyKeepsWhatIsFinished) {
  const std::filesystem::path folder = cli.dir() / "recordings";
  std::filesystem::create_directories(folder);
  for (const char* rows : {"64", "128"}) {
    Recording r = scale_recording();
    r.problem.replace(r.problem.find("64"), 2, rows);
    ASSERT_TRUE(save_recording(r, folder / (std::string(rows) + ".json")));
    ASSERT_EQ(cli.run({"tune", "scale", "--shape", std::string("cols=1024,rows=") + rows, "--device",
                       "replay:" + folder.string(), "--db", db})
                  .code,
              0);
  }
  HeldCli held(cli, {"verify", "--device", "replay:" + folder.string(), "--db", db}, 0); // held after one row
  ASSERT_TRUE(held.wait_for_handler());
  held.signal(SIGINT);
  ASSERT_TRUE(held.wait_for_error("stopping"));
  const std::string out = held.drain();
  EXPECT_EQ(held.wait(), 130);
  EXPECT_THAT(out, testing::ContainsRegex("stopped: 2 results: (1 holds, 1|2) not checked"));
}

} // namespace
} // namespace warptune
