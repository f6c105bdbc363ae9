#include "db/connection.h"
#include "db/lock_timeout.h"
#include "db/statements.h"
#include "support/child.h"
#include "support/comma_locale.h"
#include "unit/db/fixture.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sys/resource.h>
#include <sys/stat.h>

namespace warptune {
namespace {

using namespace test;
using testing::HasSubstr;
namespace fs = std::filesystem;

// Expects one message, of the right kind, that names the file and contains `part`.
template <class T> void expect_error(const Result<T>& result, const fs::path& file, const std::string& part) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::database);
  EXPECT_THAT(result.error().message, HasSubstr(file.string()));
  EXPECT_THAT(result.error().message, HasSubstr(part));
  EXPECT_THAT(result.error().message, testing::Not(HasSubstr("\n")));
}

struct DatabaseFailure : testing::Test {
  TempDir dir;
  fs::path file = dir / "w.db";
  void make() { must(Writer::open(file)); }
  void run_sql(const std::string& sql) {
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
  }
};

// Runs the checks without root's rights; a failed expectation in the child appears in its output.
void without_rights(const std::function<void()>& body) {
  const int code = run_child([&] {
    if (!drop_root()) return 77;
    body();
    std::cout.flush();
    return testing::Test::HasFailure() ? 1 : 0;
  });
  if (code == 77) GTEST_SKIP() << "cannot give up the rights of root";
  EXPECT_EQ(code, 0);
}

TEST_F(DatabaseFailure, AValueThatIsTooLongIsRefused) {
  SQLite::Database memory(":memory:");
  SQLite::Statement statement(memory, "SELECT length(?)");
  for (const std::size_t bytes : {std::size_t{1} << 31, (std::size_t{1} << 32) + 1}) // as ints: negative, and 1
    expect_error(db::guard(&memory, file, "write",
                           [&]() -> Result<void> {
                             db::bind_bytes(statement, 1, {"", bytes}); // the bytes are not read
                             return {};
                           }),
                 file, "larger than SQLite's limit of 10^9 bytes; use smaller kernels or fewer samples");
}

TEST_F(DatabaseFailure, MissingForTheReader) {
  expect_error(Reader::open(file), file, "there is no database");
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(DatabaseFailure, DeletedMovedOrReplacedMeanwhile) {
  Writer deleted = must(Writer::open(file));
  EXPECT_TRUE(deleted.still_there());
  fs::remove(file);
  expect_error(deleted.still_there(), file, "was deleted, moved or replaced");
  expect_error(deleted.put_device(sample_device()), file, "was deleted, moved or replaced");
  Writer replaced = must(Writer::open(file));
  fs::rename(file, dir / "elsewhere.db");
  make();
  expect_error(replaced.begin_session(sample_identity(), 1, "1"), file, "was deleted, moved or replaced");
  EXPECT_TRUE(must(must(Reader::open(file)).sessions()).empty());
}

TEST_F(DatabaseFailure, WhatIsMovedTakesItsLogAlong) {
  const fs::path elsewhere = dir / "elsewhere.db", other = dir / "other.db";
  const auto device_names = [](const fs::path& of) {
    std::vector<std::string> names;
    for (const DeviceInfo& device : must(must(Reader::open(of)).devices())) names.push_back(device.name);
    return names;
  };
  DeviceInfo theirs = sample_device(), ours = sample_device();
  theirs.name = "theirs";
  ours.name = "ours";
  ASSERT_TRUE(must(Writer::open(other)).put_device(theirs));
  {
    Writer writer = must(Writer::open(file));
    ASSERT_TRUE(writer.put_device(ours));
    fs::rename(file, elsewhere);
    fs::rename(other, file);
    expect_error(writer.still_there(), file, "was deleted, moved or replaced");
  }
  ASSERT_TRUE(Writer::open(file)) << "who writes next would play a log that was left behind";
  EXPECT_THAT(device_names(file), testing::ElementsAre("theirs"));
  EXPECT_THAT(device_names(elsewhere), testing::ElementsAre("ours"));
}

TEST_F(DatabaseFailure, EmptyFile) {
  std::ofstream(file).close();
  expect_error(Reader::open(file), file, "nothing was recorded yet");
  EXPECT_TRUE(Writer::open(file));
}

TEST_F(DatabaseFailure, Garbage) {
  std::ofstream(file) << std::string(5000, 'x');
  expect_error(Reader::open(file), file, "is not a warptune database");
  expect_error(Writer::open(file), file, "is not a warptune database");
  EXPECT_EQ(fs::file_size(file), 5000U);
}

TEST_F(DatabaseFailure, AFolderInPlaceOfAFile) {
  expect_error(Reader::open(dir.path()), dir.path(), "is a folder");
  expect_error(Writer::open(dir.path()), dir.path(), "is a folder");
}

TEST_F(DatabaseFailure, APipeOrADeviceInPlaceOfAFile) {
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  for (const fs::path& path : {dir / "fifo", fs::path("/dev/null")}) {
    expect_error(Reader::open(path), path, "is a pipe, a socket or a device");
    expect_error(Writer::open(path), path, "is a pipe, a socket or a device");
  }
}

TEST_F(DatabaseFailure, ALoopOfSymbolicLinks) {
  fs::create_symlink("w.db", file);
  expect_error(Writer::open(file), file, "its symbolic links form a loop");
  expect_error(Reader::open(file), file, "its symbolic links form a loop");
}

TEST_F(DatabaseFailure, AFileInPlaceOfTheFolder) {
  std::ofstream(dir / "f").close();
  expect_error(Writer::open(dir / "f/w.db"), dir / "f", "cannot make the folder");
}

TEST_F(DatabaseFailure, DatabaseOfAnotherProgram) {
  run_sql("CREATE TABLE bookmarks (id INTEGER)");
  expect_error(Reader::open(file), file, "another program");
  expect_error(Writer::open(file), file, "another program");
}

TEST_F(DatabaseFailure, NewerSchema) {
  make();
  run_sql("PRAGMA user_version = 99");
  expect_error(Reader::open(file), file, "schema 99");
  expect_error(Writer::open(file), file, "schemas up to " + std::to_string(db::kSchemaVersion));
}

TEST_F(DatabaseFailure, TruncatedFileIsDamagedNotACrash) {
  make();
  fs::resize_file(file, fs::file_size(file) / 2);
  const Result<Reader> reader = Reader::open(file);
  if (reader)
    expect_error(reader->best(), file, "damaged");
  else
    expect_error(reader, file, "damaged");
}

TEST_F(DatabaseFailure, LockedByAnotherProgram) {
  make();
  ::setenv("WARPTUNE_DB_TIMEOUT", "0.05", 1);
  SQLite::Database other(file.string(), SQLite::OPEN_READWRITE);
  Writer writer = must(Writer::open(file));
  other.exec("BEGIN IMMEDIATE");
  expect_error(writer.put_device(sample_device()), file, "locked by another program");
  EXPECT_TRUE(must(Reader::open(file)).devices()) << "a reader works beside a writer";
  other.exec("COMMIT");
  EXPECT_TRUE(writer.put_device(sample_device()));
  ::unsetenv("WARPTUNE_DB_TIMEOUT");
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST_F(DatabaseFailure, ALockIsWaitedForOnce) {
  make();
  for (const char* const timeout : {"0", "0.3"}) {
    ::setenv("WARPTUNE_DB_TIMEOUT", timeout, 1);
    auto writer = std::make_unique<Writer>(must(Writer::open(file)));
    ASSERT_TRUE(writer->put_device(sample_device()));
    SQLite::Database other(file.string(), SQLite::OPEN_READWRITE);
    other.exec("BEGIN EXCLUSIVE");
    const auto begin = std::chrono::steady_clock::now();
    expect_error(writer->put_device(sample_device()), file,
                 std::atof(timeout) == 0 ? "is locked by another program; wait"
                                         : "was locked by another program for 0.3 s");
    writer.reset();
    { EXPECT_TRUE(Writer::open(file)) << "which writes nothing"; }
    EXPECT_LT(seconds_since(begin), std::atof(timeout) + 1.9) << "closing waits 2 s for other programs' queries";
  }
  ::unsetenv("WARPTUNE_DB_TIMEOUT");
}

TEST_F(DatabaseFailure, TheTimeoutIgnoresTheDecimalPointOfTheLocale) {
  ::setenv("WARPTUNE_DB_TIMEOUT", "0.25", 1);
  const CommaLocale comma;
  const auto timeout = db::lock_timeout_ms();
  ::unsetenv("WARPTUNE_DB_TIMEOUT");
  if (!comma.is_active()) {
    GTEST_SKIP() << "needs a locale with a decimal comma, or localedef and glibc's locales";
  }
  ASSERT_TRUE(timeout) << timeout.error().message;
  EXPECT_EQ(*timeout, 250);
}

TEST_F(DatabaseFailure, SettlingWaitsNoLongerThanTheTimeout) {
  ::setenv("WARPTUNE_DB_TIMEOUT", "0", 1);
  {
    const Writer writer = must(Writer::open(file));
    SQLite::Database other(file.string(), SQLite::OPEN_READWRITE);
    other.exec("BEGIN EXCLUSIVE");
    const auto begin = std::chrono::steady_clock::now();
    writer.settle();
    EXPECT_LT(seconds_since(begin), 1.9) << "otherwise it waits 2 s";
  }
  ::unsetenv("WARPTUNE_DB_TIMEOUT");
}

TEST_F(DatabaseFailure, LockedAsAWhole) {
  make();
  ::setenv("WARPTUNE_DB_TIMEOUT", "0.05", 1);
  SQLite::Database other(file.string(), SQLite::OPEN_READWRITE);
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE lock (id INTEGER)");
  expect_error(Writer::open(file), file, "locked by another program");
  expect_error(Reader::open(file), file, "locked by another program");
  ::unsetenv("WARPTUNE_DB_TIMEOUT");
}

TEST_F(DatabaseFailure, DiskFullKeepsWhatWasRecorded) {
  RowId session = 0;
  { session = must(must(Writer::open(file)).begin_session(sample_identity(), 1, "0")); }
  const int code = run_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    Writer writer = must(Writer::open(file));
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (std::int64_t n = 0; n < 10'000; ++n) {
      Trial trial = sample_trial(n);
      trial.evidence = std::string(5000, 'e');
      if (Result<void> result = writer.record(session, sample_config(n), trial); !result) {
        expect_error(result, file, "disk is full");
        std::cout.flush();
        return n > 3 && !testing::Test::HasFailure() ? 0 : 1;
      }
    }
    return 2;
  });
  EXPECT_EQ(code, 0);
  EXPECT_GT(must(must(Reader::open(file)).trials(session)).size(), 3U);
  EXPECT_EQ(SQLite::Database(file.string()).execAndGet("PRAGMA integrity_check").getString(), "ok");
}

TEST_F(DatabaseFailure, DiskFullByThePageLimit) {
  make();
  SQLite::Database db(file.string(), SQLite::OPEN_READWRITE);
  db.exec("CREATE TABLE big (x BLOB); PRAGMA max_page_count = 1"); // not more than it has
  const Result<void> result = db::guard(&db, file, "write", [&]() -> Result<void> {
    db.exec("INSERT INTO big VALUES (zeroblob(1000000))");
    return {};
  });
  expect_error(result, file, "disk is full");
}

TEST_F(DatabaseFailure, ReadOnlyFile) {
  make();
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  without_rights([&] {
    expect_error(Writer::open(file), file, "read-only");
    EXPECT_TRUE(must(Reader::open(file)).best());
  });
}

TEST_F(DatabaseFailure, ReadOnlyFolder) {
  { must(must(Writer::open(file)).put_device(sample_device())); }
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  fs::permissions(dir.path(),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  without_rights([&] {
    EXPECT_EQ(must(must(Reader::open(file)).devices()).size(), 1U) << "a merged file needs no other";
    expect_error(Writer::open(dir / "new.db"), dir / "new.db", "read-only");
  });
}

TEST_F(DatabaseFailure, ReadOnlyFolderWithAnUnmergedLog) {
  make();
  run_child([&] { // ends with the log in place
    Writer writer = must(Writer::open(file));
    must(writer.put_device(sample_device()));
    ::kill(::getpid(), SIGKILL);
    return 0;
  });
  ASSERT_TRUE(fs::exists(file.string() + "-wal"));
  ASSERT_GT(fs::file_size(file.string() + "-wal"), 0U);
  fs::remove(file.string() + "-shm");
  for (const auto& entry : fs::directory_iterator(dir.path()))
    fs::permissions(entry.path(), fs::perms::owner_read | fs::perms::others_read);
  fs::permissions(dir.path(),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  without_rights([&] { expect_error(Reader::open(file), file, "not in the database yet"); });
}

TEST_F(DatabaseFailure, UnreadableFile) {
  make();
  fs::permissions(file, fs::perms::none); // no rights, not even for the owner
  without_rights([&] { expect_error(Reader::open(file), file, "no permission to read it"); });
}

} // namespace
} // namespace warptune
