#include "support/child.h"
#include "unit/db/fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <random>

namespace warptune {
namespace {

using namespace test;

std::string integrity(const std::filesystem::path& file) {
  SQLite::Database db(file.string(), SQLite::OPEN_READWRITE, 10'000);
  return db.execAndGet("PRAGMA integrity_check").getString();
}

// The child reports each committed trial through a pipe; the test kills it right after a random one, or in the middle
// of the next.
TEST(DatabaseProcesses, ACommittedTrialSurvivesSigkill) {
  TempDir dir;
  const std::filesystem::path file = dir / "w.db";
  const RowId session = must(must(Writer::open(file)).begin_session(sample_identity(), 1, "0"));
  std::mt19937 random(7);
  std::int64_t next = 0;
  for (int round = 0; round < 20; ++round) {
    int pipe_fds[2];
    ASSERT_EQ(::pipe(pipe_fds), 0);
    const pid_t child = start_child([&] {
      ::close(pipe_fds[0]);
      Writer writer = must(Writer::open(file));
      for (std::int64_t n = next;; ++n) {
        must(writer.record(session, sample_config(n), sample_trial(n)));
        if (::write(pipe_fds[1], &n, sizeof n) != sizeof n) return 1;
      }
    });
    ::close(pipe_fds[1]);
    std::int64_t committed = -1;
    for (auto wanted = 1 + random() % 30; wanted > 0; --wanted)
      ASSERT_EQ(::read(pipe_fds[0], &committed, sizeof committed), static_cast<ssize_t>(sizeof committed));
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait_child(child), 128 + SIGKILL);
    std::int64_t late = 0;
    while (::read(pipe_fds[0], &late, sizeof late) == static_cast<ssize_t>(sizeof late)) committed = late;
    ::close(pipe_fds[0]);

    ASSERT_EQ(integrity(file), "ok");
    const std::vector<TrialRow> trials = must(must(Reader::open(file)).trials(session));
    ASSERT_GE(trials.size(), static_cast<std::size_t>(committed + 1));
    for (std::size_t i = 0; i < trials.size(); ++i) {
      ASSERT_EQ(trials[i].trial.index, static_cast<std::int64_t>(i));
      ASSERT_EQ(trials[i].trial.timing->samples_us.size(), 3U);
      ASSERT_EQ(trials[i].trial.profile->counters.size(), 2U);
    }
    next = static_cast<std::int64_t>(trials.size());
  }
}

TEST(DatabaseProcesses, WritersThatCreateTheFileTogetherLoseNothing) {
  TempDir dir;
  const std::filesystem::path file = dir / "w.db";
  constexpr int kWriters = 4, kTrials = 40;
  std::vector<pid_t> children;
  for (int w = 0; w < kWriters; ++w)
    children.push_back(start_child([&, w] {
      Writer writer = must(Writer::open(file));
      SessionIdentity identity = sample_identity();
      identity.seed = static_cast<std::uint64_t>(w);
      must(writer.put_device(sample_device()));
      const RowId session = must(writer.begin_session(identity, kTrials, "0"));
      for (int n = 0; n < kTrials; ++n) must(writer.record(session, sample_config(n), sample_trial(n)));
      return writer.end_session(session, SessionState::finished) ? 0 : 1;
    }));
  for (const pid_t child : children) EXPECT_EQ(wait_child(child), 0);
  EXPECT_EQ(integrity(file), "ok");
  const Reader reader = must(Reader::open(file));
  const std::vector<SessionRecord> sessions = must(reader.sessions());
  ASSERT_EQ(sessions.size(), static_cast<std::size_t>(kWriters));
  for (const SessionRecord& session : sessions) EXPECT_EQ(must(reader.count_trials(session.id)).all, kTrials);
  EXPECT_EQ(must(reader.devices()).size(), 1U);
}

// One writer is killed in the middle of its work; the others do not notice, and lose nothing.
TEST(DatabaseProcesses, WritersBesideOneThatIsKilledLoseNothingAndDoubleNothing) {
  TempDir dir;
  const std::filesystem::path file = dir / "w.db";
  must(Writer::open(file));
  constexpr int kWriters = 5, kTrials = 60, kVictim = 2, kBeforeDeath = 25;
  std::vector<pid_t> children;
  for (int w = 0; w < kWriters; ++w)
    children.push_back(start_child([&, w] {
      Writer writer = must(Writer::open(file));
      SessionIdentity identity = sample_identity();
      identity.seed = static_cast<std::uint64_t>(w);
      for (const int part : {0, 1}) { // two sessions each
        identity.problem = "part=" + std::to_string(part);
        const RowId session = must(writer.begin_session(identity, kTrials, "0"));
        for (int n = 0; n < kTrials; ++n) {
          if (w == kVictim && part == 1 && n == kBeforeDeath) ::kill(::getpid(), SIGKILL);
          Trial trial = sample_trial(n);
          if (n % 2 == 1) { // they share one diagnostic
            trial.status = TrialStatus::compile_failed;
            trial.evidence = std::string(1000, 'x');
          }
          for (int twice = 0; twice < 2; ++twice) must(writer.record(session, sample_config(n), trial));
        }
        must(writer.end_session(session, SessionState::finished));
      }
      return 0;
    }));
  for (int w = 0; w < kWriters; ++w)
    EXPECT_EQ(wait_child(children[static_cast<std::size_t>(w)]), w == kVictim ? 128 + SIGKILL : 0);
  EXPECT_EQ(integrity(file), "ok");
  const Reader reader = must(Reader::open(file));
  const std::vector<SessionRecord> sessions = must(reader.sessions());
  ASSERT_EQ(sessions.size(), 2U * kWriters);
  for (const SessionRecord& session : sessions) {
    const bool died = session.identity.seed == kVictim && session.identity.problem == "part=1";
    EXPECT_EQ(session.state, died ? SessionState::running : SessionState::finished);
    const std::vector<TrialRow> trials = must(reader.trials(session.id));
    ASSERT_EQ(trials.size(), static_cast<std::size_t>(died ? kBeforeDeath : kTrials));
    for (std::size_t n = 0; n < trials.size(); ++n) {
      EXPECT_EQ(trials[n].trial.index, static_cast<std::int64_t>(n));
      EXPECT_EQ(trials[n].trial.timing->samples_us.size(), 3U);
      EXPECT_EQ(trials[n].trial.evidence.size(), n % 2 == 1 ? 1000U : 0U);
    }
  }
  SQLite::Database db(file.string());
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM evidence_texts").getInt(), 1);
  EXPECT_EQ(db.execAndGet("SELECT count(DISTINCT uuid) FROM sessions").getInt(), 2 * kWriters);
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM samples").getInt(), (2 * kWriters - 1) * kTrials + kBeforeDeath);
}

} // namespace
} // namespace warptune
