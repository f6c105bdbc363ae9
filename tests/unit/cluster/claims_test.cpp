// Claims of jobs by many processes at once: each job has one owner, a lost one is taken over once, and clocks that
// differ do no harm.
#include "cluster/claims.h"
#include "support/child.h"
#include "support/temp_dir.h"

#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using State = ClaimBoard::State;

constexpr double kLease_s = 60;

ClaimName claim(std::size_t job, int attempt = 1) { return {{job, "ab12"}, attempt}; }

struct ClaimsTest : testing::Test {
  test::TempDir dir;
  ClaimsTest() {
    for (const char* name : {"claims", "processes"}) std::filesystem::create_directory(dir / name);
  }
  // A process of a machine that is not here.
  std::string far_process(const std::string& id) const {
    EXPECT_TRUE(replace_shared(processes_of(dir.path()) / id, "{}"));
    return id;
  }
  Claims of(const std::string& id) const { return {dir.path(), far_process(id), kLease_s}; }
  // Its last heartbeat, as the server's clock had it.
  void set_heartbeat(const std::string& id, double seconds_ago) const {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec -= static_cast<time_t>(seconds_ago);
    const timespec times[2] = {now, now};
    ASSERT_EQ(::utimensat(AT_FDCWD, (processes_of(dir.path()) / id).c_str(), times, 0), 0);
  }
};

TEST_F(ClaimsTest, OfManyProcessesOneGetsAJob) {
  constexpr std::size_t kJobs = 60, kProcesses = 8;
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < kProcesses; ++i)
    children.push_back(test::start_child([&] {
      const Claims claims = of("p" + std::to_string(i));
      for (std::size_t job = 0; job < kJobs; ++job) {
        const auto taken = claims.take(claim(job), "{}");
        if (!taken) return 1;
        if (*taken && !claims.end(claim(job), ClaimOutcome::finished, "p" + std::to_string(i))) return 1;
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(test::wait_child(child), 0);
  const Claims claims = of("reader");
  const auto board = claims.look().value();
  EXPECT_THAT(board.subjects(), SizeIs(kJobs));
  for (std::size_t job = 0; job < kJobs; ++job) {
    EXPECT_EQ(board.state(claim(job).subject), State::finished);
    const auto owner = nlohmann::json::parse(**claims.facts(claim(job), std::nullopt)).at("process").get<std::string>();
    EXPECT_EQ(**claims.facts(claim(job), ClaimOutcome::finished), owner + "\n") << "who claimed it ended it, alone";
  }
}

TEST_F(ClaimsTest, ALostClaimIsTakenOverByOne) {
  constexpr std::size_t kJobs = 20;
  const Claims dead = of("dead");
  for (std::size_t job = 0; job < kJobs; ++job) ASSERT_TRUE(dead.take(claim(job), "{}").value());
  set_heartbeat("dead", kLease_s + 5);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i)
    children.push_back(test::start_child([&, i] {
      Claims claims = of("p" + std::to_string(i));
      const auto board = claims.look(); // all have the same old view
      if (!board) return 100;
      const auto lost = claims.lost(*board);
      if (!lost) return 100;
      int taken = 0;
      for (const ClaimName& one : *lost) {
        const auto won = claims.take({one.subject, one.attempt + 1}, "{}");
        if (!won) return 100;
        taken += *won ? 1 : 0;
      }
      return taken;
    }));
  int taken = 0;
  for (const pid_t child : children) {
    const int code = test::wait_child(child);
    EXPECT_LT(code, 100);
    taken += code;
  }
  // A child that began late saw the new claims, whose processes are alive.
  EXPECT_EQ(taken, static_cast<int>(kJobs));
  const auto board = of("reader").look().value();
  for (std::size_t job = 0; job < kJobs; ++job) EXPECT_EQ(board.last_attempt(claim(job).subject), 2);
}

TEST_F(ClaimsTest, TheServersClockDecides) {
  Claims mine = of("mine");
  const Claims other = of("other");
  ASSERT_TRUE(other.take(claim(1), "{}").value());
  const auto board = mine.look().value();
  EXPECT_THAT(mine.lost(board).value(), IsEmpty());
  // The own file is as old as a clock that is an hour behind would make it: it is touched before it is compared.
  set_heartbeat("mine", 3600);
  EXPECT_THAT(mine.lost(board).value(), IsEmpty());
  set_heartbeat("mine", -3600);
  EXPECT_THAT(mine.lost(board).value(), IsEmpty());
  set_heartbeat("other", kLease_s - 5);
  EXPECT_THAT(mine.lost(board).value(), IsEmpty());
  set_heartbeat("other", kLease_s + 5);
  EXPECT_THAT(mine.lost(board).value(), ElementsAre(claim(1)));
  set_heartbeat("mine", 3600);
  EXPECT_THAT(mine.lost(board).value(), ElementsAre(claim(1)));
}

TEST_F(ClaimsTest, AProcessThatEndedIsGoneAtOnce) {
  auto process = RunProcess::start(dir.path(), this_process(3, 8), kLease_s).value();
  const std::string id = process->id();
  EXPECT_EQ(id.substr(0, 6), "00003-");
  const Claims theirs(dir.path(), id, kLease_s);
  ASSERT_TRUE(theirs.take(claim(1), "{}").value());
  Claims mine = of("mine");
  EXPECT_THAT(mine.lost(mine.look().value()).value(), IsEmpty());
  EXPECT_THAT(mine.idle(mine.look().value()).value(), ElementsAre("mine"));
  process.reset();
  EXPECT_THAT(mine.lost(mine.look().value()).value(), ElementsAre(claim(1)));
}

TEST_F(ClaimsTest, AHeartbeatKeepsAProcessAlive) {
  constexpr double kShort_s = 0.4;
  const auto process = RunProcess::start(dir.path(), this_process(0, 1), kShort_s).value();
  Claims mine(dir.path(), far_process("mine"), kShort_s);
  ASSERT_TRUE(Claims(dir.path(), process->id(), kShort_s).take(claim(1), "{}").value());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < until) {
    EXPECT_THAT(mine.lost(mine.look().value()).value(), IsEmpty());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(process->goes_on().value());
  std::ofstream(cancel_file(dir.path())) << "";
  while (process->goes_on().value()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

TEST_F(ClaimsTest, AFolderThatIsGoneEndsTheProcess) {
  const auto process = RunProcess::start(dir.path(), this_process(0, 1), 0.2).value();
  std::filesystem::remove_all(processes_of(dir.path()));
  while (process->goes_on()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_THAT(process->goes_on().error().message,
              testing::HasSubstr(processes_of(dir.path()).string() + " was deleted or moved"));
}

TEST_F(ClaimsTest, AJobThatEndsItsProcessesFails) {
  Claims mine = of("mine");
  for (int attempt = 1; attempt <= kMaxLostAttempts; ++attempt) {
    const auto board = mine.look().value();
    if (attempt > 1) {
      EXPECT_THAT(mine.lost(board).value(), ElementsAre(claim(1, attempt - 1)));
    }
    const std::string id = "dead" + std::to_string(attempt);
    ASSERT_TRUE(of(id).take(claim(1, attempt), "{}").value());
    set_heartbeat(id, kLease_s + 5);
  }
  EXPECT_THAT(mine.lost(mine.look().value()).value(), IsEmpty());
  EXPECT_EQ(mine.look()->state(claim(1).subject), State::failed);
  EXPECT_THAT(**mine.facts(claim(1, kMaxLostAttempts), ClaimOutcome::failed),
              testing::HasSubstr("3 processes in a row"));
  // --resume gives it another three.
  ASSERT_TRUE(mine.free_again(claim(1, kMaxLostAttempts)));
  ASSERT_TRUE(mine.free_again(claim(1, kMaxLostAttempts))) << "two of them at once";
  EXPECT_EQ(mine.look()->state(claim(1).subject), State::free);
  EXPECT_EQ(mine.look()->last_attempt(claim(1).subject), kMaxLostAttempts + 1);
}

TEST_F(ClaimsTest, TheLookAtHeartbeatsIsShared) {
  const Claims one = of("one"), two = of("two");
  EXPECT_TRUE(one.look_is_due().value());
  EXPECT_FALSE(two.look_is_due().value());
  EXPECT_FALSE(one.look_is_due().value());
  timespec past{};
  ::clock_gettime(CLOCK_REALTIME, &past);
  past.tv_sec -= static_cast<time_t>(kLease_s);
  const timespec times[2] = {past, past};
  ASSERT_EQ(::utimensat(AT_FDCWD, (dir / "last-look").c_str(), times, 0), 0);
  EXPECT_TRUE(two.look_is_due().value());
  EXPECT_FALSE(one.look_is_due().value());
}

TEST_F(ClaimsTest, ARecordIsReadAsWritten) {
  ProcessRecord record = this_process(2, 5);
  record.devices = {{"cuda:0", "NVIDIA H200", "ab12"}};
  record.jobs = 3;
  record.worked_s = 1.5;
  EXPECT_EQ(parse_record(record_text(record)), record);
  EXPECT_FALSE(parse_record("{}"));
  EXPECT_FALSE(parse_record(""));
}

} // namespace
} // namespace warptune
