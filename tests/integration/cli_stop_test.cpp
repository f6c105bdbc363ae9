// Ctrl-C during `tune` and `verify`. The program is held at its first line of output by a pipe that is full, so that
// the signal arrives at a known point: after the handlers stand, before anything is measured.
#include "support/run_cli.h"
#include "support/scale_recording.h"

#include <gmock/gmock.h>
#include <sched.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;

struct CliStop : testing::Test {
  CliRunner cli;
  const std::string recording = (cli.dir() / "scale.json").string();
  const std::string db = (cli.dir() / "w.db").string();
  const std::filesystem::path err = cli.dir() / "err.txt";
  int read_end = -1;
  std::size_t filled = 0;

  CliStop() { save_scale_recording(recording); }
  ~CliStop() override {
    if (read_end >= 0) ::close(read_end);
  }

  std::vector<std::string> words() const {
    return {"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + recording, "--db", db};
  }

  // Its standard output is a pipe with no room for a line.
  pid_t start_held(const std::vector<std::string>& arguments) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) return -1;
    ::fcntl(fds[1], F_SETFL, O_NONBLOCK);
    while (::write(fds[1], "x", 1) == 1) ++filled;
    ::fcntl(fds[1], F_SETFL, 0);
    const pid_t pid = start_child([&] {
      ::setenv("WARPTUNE_TEMPLATES", (data_dir() / "specs").c_str(), 1);
      ::setenv("XDG_CACHE_HOME", cli.dir().path().c_str(), 1);
      ::dup2(fds[1], STDOUT_FILENO);
      ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0666), STDERR_FILENO);
      const std::string program = test::cli().string();
      std::vector<char*> argv{const_cast<char*>(program.c_str())};
      for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
      argv.push_back(nullptr);
      ::execv(program.c_str(), argv.data());
      return 97;
    });
    ::close(fds[1]);
    read_end = fds[0];
    return pid;
  }

  // Until `process` handles SIGINT itself.
  static bool wait_for_handler(pid_t pid) {
    const std::string status = "/proc/" + std::to_string(pid) + "/status";
    while (::waitpid(pid, nullptr, WNOHANG) == 0) {
      const std::string text = read_text(status);
      const std::size_t at = text.find("SigCgt:");
      if (at != std::string::npos && (std::stoull(text.substr(at + 7), nullptr, 16) & (1ULL << (SIGINT - 1))) != 0)
        return true;
      ::sched_yield();
    }
    return false;
  }
  void wait_for_message() const {
    while (read_text(err).find("stopping") == std::string::npos) ::sched_yield();
  }
  std::string drain() const {
    std::string out;
    char chunk[4096];
    for (ssize_t n = 0; (n = ::read(read_end, chunk, sizeof chunk)) > 0;)
      out.append(chunk, static_cast<std::size_t>(n));
    return out.substr(std::min(filled, out.size()));
  }
};

TEST_F(CliStop, CtrlCSavesAndSaysHowToResume) {
  const pid_t pid = start_held(words());
  ASSERT_TRUE(wait_for_handler(pid));
  ::kill(pid, SIGINT);
  const std::string out = drain();
  EXPECT_EQ(wait_child(pid), 130);
  EXPECT_THAT(read_text(err), HasSubstr("stopping"));
  EXPECT_THAT(out, AllOf(HasSubstr("stopped: scale"), HasSubstr("To resume:"), HasSubstr("--db " + db + " --resume")));

  std::vector<std::string> again = words();
  again.emplace_back("--resume");
  const CliResult resumed = cli.run(again);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, AllOf(HasSubstr("9/9"), HasSubstr("session 1"))) << "the same session goes on";
}

TEST_F(CliStop, ASecondCtrlCEndsAtOnce) {
  const pid_t pid = start_held(words());
  ASSERT_TRUE(wait_for_handler(pid));
  ::kill(pid, SIGINT);
  wait_for_message();
  ::kill(pid, SIGINT);
  EXPECT_EQ(wait_child(pid), 128 + SIGINT) << "though nobody reads what it wants to write";
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
  const pid_t pid = start_held({"verify", "--device", "replay:" + folder.string(), "--db", db}); // held after one row
  ASSERT_TRUE(wait_for_handler(pid));
  ::kill(pid, SIGINT);
  wait_for_message();
  const std::string out = drain();
  EXPECT_EQ(wait_child(pid), 130);
  EXPECT_THAT(out, testing::ContainsRegex("stopped: 2 results: (1 holds, 1|2) not looked at"));
}

} // namespace
} // namespace warptune
