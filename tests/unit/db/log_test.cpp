// The files beside a database while it is in use, and the content of the database file itself after a writer has
// closed.
#include "db/backup.h"
#include "db/connection.h"
#include "unit/db/merge_fixture.h"

#include <array>
#include <atomic>
#include <fstream>
#include <optional>
#include <thread>

namespace warptune {
namespace {

using namespace test;
using testing::HasSubstr;

struct Log : MergeTest {
  fs::path wal() const { return a.string() + "-wal"; }
  // Copies the file without its log, as a user may do.
  std::int64_t trials_of_the_file_alone() {
    fs::remove(b);
    fs::copy_file(a, b);
    return count(b, "trials");
  }
  std::int64_t bytes(const fs::path& file) {
    std::error_code ec;
    const auto size = fs::file_size(file, ec);
    return ec ? 0 : static_cast<std::int64_t>(size);
  }
};

TEST_F(Log, IsInTheFileWhenAWriterIsDoneThoughAReaderHasItOpen) {
  fill(a, 2);
  const Reader application = must(Reader::open(a)); // as in wt_open: it lives as long as its process
  ASSERT_EQ(must(application.best()).size(), 1U);
  fill(a, 7);
  EXPECT_EQ(bytes(wal()), 0);
  EXPECT_EQ(trials_of_the_file_alone(), 9);
}

TEST_F(Log, OfAReaderThatGoesOnIsSaid) {
  fill(a, 2);
  SQLite::Database slow(a.string(), SQLite::OPEN_READONLY, 0);
  slow.exec("BEGIN");
  ASSERT_EQ(slow.execAndGet("SELECT count(*) FROM trials").getInt(), 2);
  {
    const Writer writer = must(Writer::open(a));
    EXPECT_TRUE(writer.settle()) << "nothing is new";
  }
  fill(a, 7);
  EXPECT_FALSE(must(Writer::open(a)).settle());
  slow.exec("COMMIT");
  EXPECT_TRUE(must(Writer::open(a)).settle());
  EXPECT_EQ(trials_of_the_file_alone(), 9);
}

TEST_F(Log, IsInTheFileThoughAQueryOfTheNewestRowsGoesOn) {
  const RowId session = fill(a, 2);
  Writer writer = must(Writer::open(a));
  must(writer.record(session, sample_config(100), sample_trial(100)));
  SQLite::Database slow(a.string(), SQLite::OPEN_READONLY, 0);
  slow.exec("BEGIN");
  ASSERT_EQ(slow.execAndGet("SELECT count(*) FROM trials").getInt(), 3);
  EXPECT_TRUE(writer.settle()) << "it cannot be cut, but nothing is in it alone";
  EXPECT_GT(bytes(wal()), 0);
  EXPECT_EQ(trials_of_the_file_alone(), 3);
}

TEST_F(Log, ThatALongQueryLetGrowIsCutAfterwards) {
  const RowId session = fill(a, 2);
  Writer writer = must(Writer::open(a));
  SQLite::Database slow(a.string(), SQLite::OPEN_READONLY, 0);
  slow.exec("BEGIN");
  slow.execAndGet("SELECT count(*) FROM trials");
  Trial large = sample_trial();
  int n = 100;
  const auto write = [&] {
    large.evidence = std::string(1 << 20, static_cast<char>('a' + n % 26)) + std::to_string(n);
    must(writer.record(session, sample_config(n++), large));
  };
  while (bytes(wal()) < 20 << 20) write();
  slow.exec("COMMIT");
  for (int i = 0; i < 3; ++i) write();
  EXPECT_LE(bytes(wal()), 8 << 20);
  EXPECT_TRUE(writer.settle());
  EXPECT_EQ(bytes(wal()), 0);
}

// Two readers of which one always begins before the other ends, so there is no moment in which SQLite could restart the
// log on its own.
class OverlappingReaders {
 public:
  explicit OverlappingReaders(const fs::path& path) {
    for (auto& reader : readers_) reader.emplace(path.string(), SQLite::OPEN_READONLY, 10'000);
    begin();
  }
  void swap() {
    current_ = 1 - current_;
    begin();
    readers_[1 - current_]->exec("COMMIT");
  }

 private:
  void begin() {
    readers_[current_]->exec("BEGIN");
    readers_[current_]->execAndGet("SELECT count(*) FROM trials");
  }
  std::array<std::optional<SQLite::Database>, 2> readers_;
  std::size_t current_ = 0;
};

TEST_F(Log, BeginsAnewThoughItIsAlwaysRead) {
  const RowId session = fill(a, 2);
  Writer writer = must(Writer::open(a));
  OverlappingReaders readers(a);
  Trial large = sample_trial();
  int n = 100;
  const auto write = [&] {
    large.evidence = std::string(1 << 20, static_cast<char>('a' + n % 26)) + std::to_string(n);
    must(writer.record(session, sample_config(n++), large));
  };
  for (int i = 0; i < 40; ++i, readers.swap()) write(); // no reader ends while the writer waits
  ASSERT_GT(bytes(wal()), 32 << 20);
  std::atomic<bool> is_done = false;
  std::thread others([&] {
    while (!is_done) readers.swap();
  });
  for (int i = 0; i < 10 && bytes(wal()) > 8 << 20; ++i) write();
  is_done = true;
  others.join();
  EXPECT_LE(bytes(wal()), 8 << 20);
}

TEST_F(Log, ReadingLeavesNothingBehind) {
  fill(a, 2);
  ASSERT_FALSE(fs::exists(wal()));
  { EXPECT_EQ(must(must(Reader::open(a)).best()).size(), 1U); }
  EXPECT_FALSE(fs::exists(wal()));
  EXPECT_FALSE(fs::exists(a.string() + "-shm"));
  const auto db = must(db::open_read_only(a));
  EXPECT_THROW(db->exec("DELETE FROM trials"), SQLite::Exception) << "a reader writes nothing";
}

TEST_F(Log, ABackupIsOneFileWithAllThatWasThere) {
  fill(a, 2);
  SQLite::Database slow(a.string(), SQLite::OPEN_READONLY, 0);
  slow.exec("BEGIN");
  slow.execAndGet("SELECT count(*) FROM trials");
  fill(a, 7);
  ASSERT_NE(trials_of_the_file_alone(), 9) << "a plain copy lacks what the log holds";
  const std::uintmax_t size = must(backup_database(a, out));
  EXPECT_EQ(size, fs::file_size(out));
  EXPECT_EQ(dump(out), dump(a));
  EXPECT_FALSE(fs::exists(out.string() + "-wal"));
  const auto again = backup_database(a, out);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(again.error().message, HasSubstr("backup never replaces a file"));
  for (const auto& entry : fs::directory_iterator(dir.path()))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("merge-"))) << "nothing is left behind";
}

TEST_F(Log, ADamagedDatabaseIsNotBackedUp) {
  fill(a, 40);
  {
    std::fstream file(a, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(bytes(a) / 4096 / 2 * 4096);
    file << std::string(4096, '\xff');
  }
  const auto made = backup_database(a, out);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::database);
  EXPECT_THAT(made.error().message, HasSubstr("is damaged"));
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(Log, NothingBackedUpIsSaid) {
  EXPECT_THAT(backup_database(a, out).error().message, HasSubstr("there is no database"));
  std::ofstream(b) << "text";
  EXPECT_THAT(backup_database(b, out).error().message, HasSubstr("is not a warptune database"));
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(Log, AFileThatIsCutMeanwhileIsNoticedAtTheNextWrite) {
  const RowId session = fill(a, 40);
  Writer writer = must(Writer::open(a));
  record(writer, session, 100, 2);
  ASSERT_TRUE(writer.settle());
  record(writer, session, 102, 1);
  fs::resize_file(a, 8192);
  const auto written = writer.record(session, sample_config(103), sample_trial(103));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::database);
  EXPECT_THAT(written.error().message, HasSubstr("was truncated while it was written to"));
  EXPECT_FALSE(writer.end_session(session, SessionState::finished)) << "and it stays so";
}

TEST_F(Log, AFileThatIsOnlyPackedMeanwhileIsWhole) {
  const RowId session = fill(a, 40);
  Writer writer = must(Writer::open(a));
  record(writer, session, 100, 2);
  ASSERT_TRUE(writer.settle());
  {
    SQLite::Database other(a.string(), SQLite::OPEN_READWRITE, 10'000);
    other.exec("DELETE FROM samples; DELETE FROM counters; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  }
  EXPECT_TRUE(writer.record(session, sample_config(103), sample_trial(103)));
}

} // namespace
} // namespace warptune
