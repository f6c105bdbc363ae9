// Claims of jobs by many processes at once: each job has one owner, a lost one is taken over once, and different clocks
// cause no errors.
#include "cluster/claims.h"
#include "fake_file_server.h"
#include "support/child.h"
#include "support/temp_dir.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <thread>

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
  // A process on another machine.
  std::string far_process(const std::string& id) const {
    EXPECT_TRUE(replace_shared(processes_of(dir.path()) / id, "{}"));
    return id;
  }
  Claims of(const std::string& id) const { return {dir.path(), far_process(id), kLease_s}; }
  // Files of any kind.
  std::size_t files_in_claims() const {
    const std::filesystem::directory_iterator files(dir / "claims");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }
  static void set_time(const std::filesystem::path& file, double seconds_ago) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const auto then_ns = now.tv_sec * 1'000'000'000LL + now.tv_nsec - std::llround(seconds_ago * 1e9);
    now = {then_ns / 1'000'000'000, then_ns % 1'000'000'000};
    const timespec times[2] = {now, now};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }
  // Sets its last heartbeat, in the time of the server's clock.
  void set_heartbeat(const std::string& id, double seconds_ago) const {
    set_time(processes_of(dir.path()) / id, seconds_ago);
  }
};

TEST_F(ClaimsTest, OfManyProcessesOneGetsAJob) {
  constexpr std::size_t kJobs = 60, kProcesses = 8;
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < kProcesses; ++i)
    children.push_back(test::start_child([&] {
      Claims claims = of("p" + std::to_string(i));
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
  Claims dead = of("dead");
  for (std::size_t job = 0; job < kJobs; ++job) ASSERT_TRUE(dead.take(claim(job), "{}").value());
  set_heartbeat("dead", kLease_s + 5);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i)
    children.push_back(test::start_child([&, i] {
      Claims claims = of("p" + std::to_string(i));
      const auto board = claims.look(); // all processes have the same outdated view
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
  // A child that started late saw the new claims, whose processes are alive.
  EXPECT_EQ(taken, static_cast<int>(kJobs));
  const auto board = of("reader").look().value();
  for (std::size_t job = 0; job < kJobs; ++job) EXPECT_EQ(board.last_attempt(claim(job).subject), 2);
}

TEST_F(ClaimsTest, TheServersClockDecides) {
  Claims mine = of("mine");
  Claims other = of("other");
  ASSERT_TRUE(other.take(claim(1), "{}").value());
  const auto board = mine.look().value();
  EXPECT_THAT(mine.lost(board).value(), IsEmpty());
  // This process's file looks an hour old, as with a clock that is an hour behind; the process touches it before
  // comparing.
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
  // If the server's clock is set back, a live process touches its file again within a quarter of the lease.
  set_heartbeat("other", -kLease_s + 5);
  EXPECT_THAT(mine.lost(board).value(), IsEmpty());
  set_heartbeat("other", -kLease_s - 5);
  EXPECT_THAT(mine.lost(board).value(), ElementsAre(claim(1)));
}

TEST_F(ClaimsTest, AProcessThatEndedIsGoneAtOnce) {
  auto process = RunProcess::start(dir.path(), this_process(3, 8), kLease_s).value();
  const std::string id = process->id();
  EXPECT_EQ(id.substr(0, 6), "00003-");
  Claims theirs(dir.path(), id, kLease_s);
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
  // --resume allows another three.
  ASSERT_TRUE(mine.free_again(claim(1, kMaxLostAttempts)));
  ASSERT_TRUE(mine.free_again(claim(1, kMaxLostAttempts))) << "two of them at once";
  EXPECT_EQ(mine.look()->state(claim(1).subject), State::free);
  EXPECT_EQ(mine.look()->last_attempt(claim(1).subject), kMaxLostAttempts + 1);
}

TEST_F(ClaimsTest, TheLookAtHeartbeatsIsShared) {
  int number = 0;
  const auto is_due = [&] { return of("p" + std::to_string(number++)).look_is_due().value(); };
  EXPECT_TRUE(is_due());
  EXPECT_FALSE(is_due());
  set_time(dir / "last-look", kLease_s / 2 - 5);
  EXPECT_FALSE(is_due());
  set_time(dir / "last-look", kLease_s / 2 + 5);
  EXPECT_TRUE(is_due());
  EXPECT_FALSE(is_due());
  // Another process looked just now, by a clock that was then set back.
  set_time(dir / "last-look", -3600);
  EXPECT_TRUE(is_due());
  EXPECT_FALSE(is_due());
  set_time(dir / "last-look", -5);
  EXPECT_FALSE(is_due());
}

TEST_F(ClaimsTest, TheServerIsNotAskedAgainBeforeALookCanBeDue) {
  Claims first = of("first"), second = of("second");
  EXPECT_TRUE(first.look_is_due().value());
  EXPECT_FALSE(second.look_is_due().value());
  for (Claims* const one : {&first, &second}) {
    std::filesystem::remove(dir / "last-look"); // the next query would create it
    EXPECT_FALSE(one->look_is_due().value());
    EXPECT_FALSE(std::filesystem::exists(dir / "last-look"));
  }
}

TEST_F(ClaimsTest, ALookIsDueAgainAndAgainWhateverTheServersClockShows) {
  constexpr double kShort_s = 0.2;
  Claims mine(dir.path(), far_process("mine"), kShort_s);
  EXPECT_TRUE(mine.look_is_due().value());
  for (const double jump_s : {0.0, 3600.0, -3600.0, -0.05, 0.0}) {
    if (jump_s != 0) set_time(dir / "last-look", jump_s);
    const auto begin = std::chrono::steady_clock::now();
    const auto waited_s = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    while (!mine.look_is_due().value() && waited_s() < 20) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_LT(waited_s(), 20) << "after a jump of " << jump_s << " s";
    EXPECT_GT(waited_s(), kShort_s / 4) << "after a jump of " << jump_s << " s";
  }
}

TEST_F(ClaimsTest, AnotherLookCanBeMadeDue) {
  Claims mine = of("mine"), other = of("other");
  EXPECT_TRUE(mine.look_is_due().value());
  EXPECT_FALSE(other.look_is_due().value());
  mine.look_again();
  EXPECT_TRUE(mine.look_is_due().value());
  EXPECT_FALSE(mine.look_is_due().value());
  mine.look_again();
  mine.look_again();
  EXPECT_TRUE(of("third").look_is_due().value());
  EXPECT_FALSE(mine.look_is_due().value()) << "the other process looks";
}

TEST_F(ClaimsTest, ClaimsOfOneProcessAreNamesOfOneFile) {
  {
    Claims claims = of("mine");
    ASSERT_TRUE(claims.take(claim(1), R"({"a": 1})").value());
    ASSERT_TRUE(claims.take(claim(2), R"({"a": 1})").value());
    ASSERT_TRUE(claims.take(claim(3), R"({"a": 2})").value());
    const auto file = [&](std::size_t job) { return dir / ("claims/" + claim(job).text()); };
    EXPECT_TRUE(std::filesystem::equivalent(file(1), file(2)));
    EXPECT_FALSE(std::filesystem::equivalent(file(1), file(3)));
    EXPECT_EQ(nlohmann::json::parse(**claims.facts(claim(2), std::nullopt)),
              (nlohmann::json{{"a", 1}, {"process", "mine"}}));
    EXPECT_EQ(nlohmann::json::parse(**claims.facts(claim(3), std::nullopt)),
              (nlohmann::json{{"a", 2}, {"process", "mine"}}));
    EXPECT_EQ(files_in_claims(), 3u + 2u) << "one for each text is prepared";
  }
  EXPECT_EQ(files_in_claims(), 3u);
  EXPECT_THAT(of("reader").look()->running(), ElementsAre(claim(1), claim(2), claim(3)));
}

// Two devices of one process may store the same facts.
TEST_F(ClaimsTest, AnAttemptIsTakenOnce) {
  Claims mine = of("mine"), other = of("other");
  EXPECT_TRUE(mine.take(claim(1), "{}").value());
  EXPECT_FALSE(mine.take(claim(1), "{}").value());
  EXPECT_FALSE(other.take(claim(1), "{}").value());
  EXPECT_TRUE(other.take(claim(2), "{}").value()) << "after a refusal";
  EXPECT_TRUE(mine.take(claim(1, 2), "{}").value());
}

// An attempt that this process took, but that a new listing does not have.
TEST_F(ClaimsTest, AClaimThatWasDeletedIsSaid) {
  Claims mine = of("mine");
  ASSERT_TRUE(mine.take(claim(1), "{}").value());
  std::filesystem::remove(dir / ("claims/" + claim(1).text()));
  const auto again = mine.take(claim(1), "{}");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::database);
  EXPECT_THAT(again.error().message,
              testing::HasSubstr(claim(1).text() + " was deleted while its process was working"));
}

// The run folder was deleted, and another run made in its place: nothing of this process may get into it.
TEST_F(ClaimsTest, AnotherRunInTheFolderGetsNothing) {
  Claims mine = of("mine");
  ASSERT_TRUE(mine.take(claim(1), "{}").value());
  for (const char* name : {"claims", "processes"}) {
    std::filesystem::remove_all(dir / name);
    std::filesystem::create_directory(dir / name);
  }
  const auto is_refused = [](const auto& result) {
    return !result && result.error().message.find("another run") != std::string::npos;
  };
  EXPECT_TRUE(is_refused(mine.take(claim(2), "{}")));
  EXPECT_TRUE(is_refused(mine.lost(mine.look().value())));
  EXPECT_TRUE(is_refused(mine.idle(mine.look().value())));
  EXPECT_EQ(files_in_claims(), 0u);
}

TEST_F(ClaimsTest, WhatAKilledProcessPreparedIsNoClaim) {
  EXPECT_EQ(test::run_child([&] {
              Claims claims = of("killed");
              if (!claims.take(claim(1), "{}").value()) return 1;
              ::raise(SIGKILL);
              return 0;
            }),
            128 + SIGKILL);
  EXPECT_EQ(files_in_claims(), 2u) << "the claim, and the file that it is a name of";
  Claims mine = of("mine");
  EXPECT_THAT(mine.look()->subjects(), ElementsAre(claim(1).subject));
  set_heartbeat("killed", kLease_s + 5);
  EXPECT_THAT(mine.lost(mine.look().value()).value(), ElementsAre(claim(1)));
}

TEST_F(ClaimsTest, APreparedFileThatIsGoneOrFullIsReplaced) {
  Claims mine = of("mine");
  const auto taken = [&](std::size_t job) {
    EXPECT_TRUE(mine.take(claim(job), "{}").value()) << job;
    EXPECT_EQ(**mine.facts(claim(job), std::nullopt), "{\"process\":\"mine\"}\n");
  };
  taken(1);
  for (const auto& entry : std::filesystem::directory_iterator(dir / "claims"))
    if (entry.path().extension() == ".tmp") std::filesystem::remove(entry.path());
  taken(2);
  Claims other = of("other");
  const test::WithLinkFault fault(test::LinkFault::few_links);
  for (std::size_t job = 3; job < 9; ++job) taken(job);
  EXPECT_FALSE(other.take(claim(8), "{}").value());
  EXPECT_EQ(files_in_claims(), 8u + 2u) << "a file that is full is removed";
}

TEST_F(ClaimsTest, AClaimWhoseReplyWasLostIsOurs) {
  Claims mine = of("mine"), other = of("other");
  const test::WithLinkFault fault(test::LinkFault::reply_lost);
  for (std::size_t job = 1; job < 4; ++job) {
    EXPECT_TRUE(mine.take(claim(job), "{}").value());
    EXPECT_FALSE(other.take(claim(job), "{}").value());
  }
}

// The link may exist despite the error. Then another attempt would be refused, and no process would do the job.
TEST_F(ClaimsTest, AnErrorOfALinkEndsTheProcess) {
  Claims mine = of("mine");
  ASSERT_TRUE(mine.take(claim(1), "{}").value());
  {
    const test::WithLinkFault fault(test::LinkFault::failed);
    EXPECT_FALSE(mine.take(claim(2), "{}"));
  }
  EXPECT_TRUE(mine.take(claim(2), "{}").value());
  std::filesystem::remove_all(dir / "claims");
  EXPECT_THAT(mine.take(claim(3), "{}").error().message,
              testing::HasSubstr((dir / "claims").string() + " was deleted"));
}

} // namespace
} // namespace warptune
