// Whole sessions with a failing environment: a full disk, a database that another program locks, a cubin cache that is
// damaged, deleted or read-only, no free file descriptors, no temporary folder, a wall clock that is set back.
// Afterwards the database is intact, and a resumed session has the trials of an undisturbed one.
#include "db/reader.h"
#include "support/child.h"
#include "support/temp_dir.h"
#include "support/toy.h"
#include "tuner/session.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Disturbed : public ::testing::Test {
 protected:
  Disturbed() {
    options_.worker_executable = test::program_dir() / "test_worker";
    options_.database = dir_ / "t.db";
    options_.cache_directory = dir_.path();
    options_.compile_workers = 2;
    options_.device = "toy:";
  }
  ~Disturbed() override { ::unsetenv("WARPTUNE_DB_TIMEOUT"); }
  Result<SessionResult> tune() {
    return run_session(
        kernel_, test::toy_problem(kernel_), options_, [this](const Progress& p) { on_progress(p); }, stop_);
  }
  // Runs in its own process, whose limits may be lowered. Returns the exit code: the error's kind, 0 for none.
  int tune_in_child(const std::function<void()>& before, std::string& said) {
    const fs::path words = dir_ / "words";
    const int code = test::run_child([&] {
      before();
      const auto result = tune();
      const std::string text = result ? result->best.config : result.error().message;
      for (int fd = 3; fd < 128; ++fd) ::close(fd); // frees descriptors to write the message if none were left
      std::ofstream(words) << text;
      return result ? 0 : static_cast<int>(result.error().kind);
    });
    std::ifstream in(words);
    said.assign(std::istreambuf_iterator<char>(in), {});
    return code;
  }
  std::string integrity() {
    SQLite::Database db(options_.database.string(), SQLite::OPEN_READWRITE);
    return db.execAndGet("PRAGMA integrity_check").getString();
  }
  std::size_t trial_count() {
    std::size_t count = 0;
    const auto reader = Reader::open(options_.database);
    const auto sessions = reader.value().sessions();
    for (const SessionRecord& s : sessions.value()) count += reader->trials(s.id).value().size();
    return count;
  }
  // Whatever happened before, the session continues and ends like an undisturbed one.
  void expect_resumed() {
    EXPECT_EQ(integrity(), "ok");
    options_.resume = true;
    on_progress = [](const Progress&) {};
    const auto result = tune();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->best.config, "A=4,B=4,C=0");
    EXPECT_EQ(result->reused + result->measured, 42);
    EXPECT_EQ(trial_count(), 42U);
    EXPECT_EQ(integrity(), "ok");
  }
  // Progress counts evaluations, so a disturbance always comes at the same point.
  void after_trial(std::int64_t number, std::function<void()> disturb) {
    on_progress = [number, disturb = std::move(disturb), done = false](const Progress& p) mutable {
      if (done || p.last == nullptr || p.done != number) return;
      done = true;
      disturb();
    };
  }

  std::function<void(const Progress&)> on_progress = [](const Progress&) {};
  Kernel kernel_ = test::toy_kernel();
  test::TempDir dir_;
  SessionOptions options_;
  std::atomic<bool> stop_{false};
};

TEST_F(Disturbed, DiskFull) {
  std::string said;
  const int code = tune_in_child(
      [&] {
        ::signal(SIGXFSZ, SIG_IGN);
        after_trial(20, [&] {
          const auto size = static_cast<rlim_t>(fs::file_size(options_.database.string() + "-wal"));
          const rlimit limit{size, size};
          ::setrlimit(RLIMIT_FSIZE, &limit);
        });
      },
      said);
  EXPECT_EQ(code, static_cast<int>(ErrorKind::database));
  EXPECT_THAT(said, testing::AllOf(HasSubstr("t.db"), HasSubstr("disk is full")));
  EXPECT_GE(trial_count(), 19U) << "what was recorded stays";
  expect_resumed();
}

TEST_F(Disturbed, LockedLongerThanItsPatience) {
  ::setenv("WARPTUNE_DB_TIMEOUT", "0.05", 1);
  std::optional<SQLite::Database> other;
  after_trial(20, [&] {
    other.emplace(options_.database.string(), SQLite::OPEN_READWRITE);
    other->exec("BEGIN IMMEDIATE");
  });
  const auto result = tune();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::database);
  EXPECT_THAT(result.error().message, HasSubstr("locked by another program"));
  other.reset();
  expect_resumed();
}

TEST_F(Disturbed, LockedForAShorterTime) {
  ::setenv("WARPTUNE_DB_TIMEOUT", "60", 1);
  pid_t holder = -1;
  after_trial(20, [&] {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    holder = test::start_child([&] {
      SQLite::Database other(options_.database.string(), SQLite::OPEN_READWRITE);
      other.exec("BEGIN IMMEDIATE");
      if (::write(ready[1], ".", 1) != 1) return 1;
      // Wait until the device is one candidate further; that candidate then waits to be recorded.
      std::error_code none_yet;
      while (fs::file_size(dir_ / "evaluations", none_yet) < 21 || none_yet) ::usleep(1000);
      ::usleep(100000);
      other.exec("COMMIT");
      return 0;
    });
    char byte;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]), ::close(ready[1]);
  });
  const auto result = tune();
  ASSERT_GT(holder, 0);
  EXPECT_EQ(test::wait_child(holder), 0);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(trial_count(), 42U);
  EXPECT_EQ(integrity(), "ok");
}

TEST_F(Disturbed, NoFileDescriptorsLeft) {
  std::string said;
  const int code = tune_in_child(
      [&] {
        options_.device = "toy:evaluate/segv/A=2,B=2,C=0"; // no new process can be started
        after_trial(1, [] {
          for (int fd = 0; fd >= 0;) fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        });
        const rlimit limit{128, 128};
        ::setrlimit(RLIMIT_NOFILE, &limit);
      },
      said);
  EXPECT_NE(code, 0);
  EXPECT_LT(code, 128) << "an error and no signal";
  EXPECT_THAT(said, HasSubstr("Too many open files"));
  expect_resumed();
}

TEST_F(Disturbed, NoTemporaryFolder) {
  ::setenv("TMPDIR", "/nowhere", 1);
  const auto result = tune();
  ::unsetenv("TMPDIR");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(trial_count(), 42U);
}

// The clock jumps by years between the sessions and by hours within them. Measurements use another clock.
TEST_F(Disturbed, TheClockGoesBack) {
  const std::string shim = (test::program_dir() / "libwt_clock_shim.so").string();
  const auto session = [&](const char* resume, const char* years) {
    const int code = test::run_child([&] {
      ::setenv("LD_PRELOAD", shim.c_str(), 1);
      ::setenv("WT_CLOCK_BACK", years, 1);
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, STDOUT_FILENO);
      const std::string program = test::program_dir() / "test_worker", database = options_.database;
      ::execl(program.c_str(), "test_worker", "session", "toy:", database.c_str(), dir_.path().c_str(), resume,
              "exhaustive", nullptr);
      return 127;
    });
    EXPECT_EQ(code, 0);
  };
  session("new", "0");
  session("new", "3");
  session("resume", "5");
  const auto sessions = Reader::open(options_.database).value().sessions();
  ASSERT_TRUE(sessions);
  ASSERT_EQ(sessions->size(), 2U) << "the newest finished one was found, though its clock was behind";
  EXPECT_EQ(trial_count(), 84U);
  EXPECT_EQ(integrity(), "ok");
  const auto& [first, second] =
      std::minmax(sessions->front(), sessions->back(), [](const auto& x, const auto& y) { return x.id < y.id; });
  EXPECT_GT(first.started_at, second.started_at) << "the shim did turn the clock back";
  for (const SessionRecord& s : *sessions) EXPECT_LT(s.ended_at, s.started_at) << "and it went on going back";
}

} // namespace
} // namespace warptune
