// Which files an output may replace: one rule for all commands.
#include "cli/overwrite.h"
#include "support/run_cli.h"

#include <gmock/gmock.h>

namespace warptune::cli {
namespace {

using namespace test;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct Overwrite : testing::Test {
  TempDir dir;
  const fs::path db = dir / "w.db";

  void write_database(const fs::path& file) const {
    std::ofstream(file, std::ios::binary) << std::string("SQLite format 3\0 and more", 25);
  }
  std::string refusal(const fs::path& output) const {
    const auto done = refuse_overwriting(output, {db}, "--trace");
    EXPECT_FALSE(done) << output;
    return done ? std::string() : done.error().message;
  }
};

// The first writer would delete a log that exists before its database, or read it as content.
TEST_F(Overwrite, ADatabaseThatIsYetToBeMadeAndItsLogs) {
  EXPECT_THAT(refusal(db), HasSubstr("is the database and would be overwritten; name another file with --trace"));
  EXPECT_THAT(refusal(dir / "." / "w.db"), HasSubstr("is the database"));
  for (const char* end : {"-wal", "-shm", "-journal"})
    EXPECT_THAT(refusal(db.string() + end), HasSubstr("is the name of the log that SQLite keeps for the database"));
  EXPECT_TRUE(refuse_overwriting(dir / "w.db.json", {db}));
}

TEST_F(Overwrite, ByWhateverLink) {
  fs::create_symlink(db, dir / "to_db");
  fs::create_symlink(dir / "w.db-wal", dir / "to_log");
  EXPECT_THAT(refusal(dir / "to_db"), HasSubstr("is the database"));
  EXPECT_THAT(refusal(dir / "to_log"), HasSubstr("log that SQLite keeps"));
  write_database(db);
  fs::create_hard_link(db, dir / "hard");
  EXPECT_THAT(refusal(dir / "hard"), HasSubstr("is the database"));
  EXPECT_THAT(refusal(dir / "to_log"), HasSubstr("log that SQLite keeps"));
  // SQLite names the log after the link's target.
  const auto through = refuse_overwriting(dir / "w.db-wal", {dir / "to_db"});
  ASSERT_FALSE(through);
  EXPECT_THAT(through.error().message, HasSubstr("log that SQLite keeps"));
}

TEST_F(Overwrite, OtherDatabasesAndTheirLogs) {
  write_database(dir / "other.db");
  EXPECT_THAT(refusal(dir / "other.db"), HasSubstr("is a database or a pack"));
  EXPECT_THAT(refusal(dir / "other.db-journal"), HasSubstr("log that SQLite keeps"));
}

TEST_F(Overwrite, AFileOfAnotherKindNeedsForce) {
  const OutputKind kind{"is not a note", [](const fs::path& file) { return read_text(file) == "note"; }};
  EXPECT_TRUE(refuse_replacing(dir / "none", kind, false));
  EXPECT_TRUE(refuse_replacing("/dev/full", kind, false));
  std::ofstream(dir / "empty").close();
  EXPECT_TRUE(refuse_replacing(dir / "empty", kind, false));
  std::ofstream(dir / "a") << "note";
  EXPECT_TRUE(refuse_replacing(dir / "a", kind, false));
  std::ofstream(dir / "b") << "thesis";
  const auto refused = refuse_replacing(dir / "b", kind, false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the existing file is not a note; use --force to replace it"));
  EXPECT_TRUE(refuse_replacing(dir / "b", kind, true));
}

} // namespace
} // namespace warptune::cli
