#include "db/connection.h"
#include "db/migrate.h"
#include "unit/db/fixture.h"

namespace warptune {
namespace {

using namespace test;

const std::vector<db::Migration> kTwo = {
    {1, "0001_one.sql",
     "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT) STRICT; INSERT INTO things VALUES (1, 'a');"},
    {2, "0002_two.sql", "ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 7;"}};

int integer(SQLite::Database& db, const std::string& sql) { return db.execAndGet(sql).getInt(); }

TEST(Migrate, EmbeddedScriptsCountUpToTheKnownSchema) {
  const std::vector<db::Migration> scripts = db::embedded_migrations();
  ASSERT_EQ(scripts.size(), static_cast<std::size_t>(db::kSchemaVersion));
  for (std::size_t i = 0; i < scripts.size(); ++i) EXPECT_EQ(scripts[i].version, static_cast<int>(i) + 1);
}

TEST(Migrate, AppliesAllToAnEmptyFileAndKeepsHistory) {
  SQLite::Database db(":memory:", SQLite::OPEN_READWRITE);
  db::migrate(db, kTwo);
  EXPECT_EQ(integer(db, "PRAGMA user_version"), 2);
  EXPECT_EQ(integer(db, "PRAGMA application_id"), db::kApplicationId);
  EXPECT_EQ(integer(db, "SELECT size FROM things WHERE id = 1"), 7);
  EXPECT_EQ(integer(db, "SELECT count(*) FROM migrations WHERE name = '0002_two.sql' AND applied_at <> ''"), 1);
}

TEST(Migrate, AppliesOnlyWhatIsMissingAndKeepsRows) {
  SQLite::Database db(":memory:", SQLite::OPEN_READWRITE);
  db::migrate(db, std::span(kTwo).first(1));
  db.exec("INSERT INTO things VALUES (2, 'mine')");
  db::migrate(db, kTwo);
  db::migrate(db, kTwo);
  EXPECT_EQ(integer(db, "SELECT count(*) FROM things WHERE size = 7"), 2);
  EXPECT_EQ(integer(db, "SELECT count(*) FROM migrations"), 2);
}

TEST(Migrate, AFailingScriptChangesNothing) {
  SQLite::Database db(":memory:", SQLite::OPEN_READWRITE);
  db::migrate(db, std::span(kTwo).first(1));
  std::vector<db::Migration> broken = kTwo;
  broken[1].sql = "CREATE TABLE half (id INTEGER); INSERT INTO nowhere VALUES (1);";
  EXPECT_THROW(db::migrate(db, broken), SQLite::Exception);
  EXPECT_EQ(integer(db, "PRAGMA user_version"), 1);
  EXPECT_FALSE(db.tableExists("half"));
}

TEST(Migrate, MembersBringTheColumnsThatNoScriptHolds) {
  for (const db::MemberColumn& column : db::member_columns()) {
    EXPECT_GT(column.since, db::kColumnsByScript);
    EXPECT_LE(column.since, db::kSchemaVersion);
  }
  EXPECT_THAT(db::member_columns(), ::testing::Contains(::testing::FieldsAre(5, "trials", "sm_clock_min_mhz REAL")));
  SQLite::Database db(":memory:", SQLite::OPEN_READWRITE);
  const auto has_column = [&] {
    return integer(db, "SELECT count(*) FROM pragma_table_info('trials') WHERE name = 'sm_clock_min_mhz'") == 1;
  };
  const std::vector<db::Migration> all = db::embedded_migrations();
  db::migrate(db, std::span(all).first(4));
  EXPECT_FALSE(has_column());
  db::migrate(db, std::span(all).first(5));
  EXPECT_TRUE(has_column());
  EXPECT_EQ(integer(db, "PRAGMA user_version"), 5);
}

// Schema 5 was a script of its own before its column came from the member.
TEST(Migrate, AFileThatAScriptBroughtToSchemaFiveStaysAsItIs) {
  SQLite::Database db(":memory:", SQLite::OPEN_READWRITE);
  std::vector<db::Migration> then = db::embedded_migrations();
  then.resize(5);
  then[4] = {5, "0005_lowest_clock.sql", "ALTER TABLE trials ADD COLUMN sm_clock_min_mhz REAL;"};
  db::migrate(db, then);
  const std::string table = "SELECT sql FROM sqlite_schema WHERE name = 'trials'";
  const std::string before = db.execAndGet(table).getString();
  SQLite::Database now(":memory:", SQLite::OPEN_READWRITE);
  const std::vector<db::Migration> today = db::embedded_migrations();
  db::migrate(now, std::span(today).first(5));
  EXPECT_EQ(now.execAndGet(table).getString(), before);
  db::migrate(db, std::span(today).first(5));
  EXPECT_EQ(db.execAndGet(table).getString(), before);
}

// The schema of every version is known, and brought up; one that differs is refused before it is touched.
TEST(Migrate, FilesOfEverySchemaOpen) {
  const std::vector<db::Migration> all = db::embedded_migrations();
  for (std::size_t version = 1; version <= all.size(); ++version) {
    TempDir dir;
    const std::string file = (dir / "w.db").string();
    {
      SQLite::Database old(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      db::migrate(old, std::span(all).first(version));
    }
    EXPECT_EQ(must(Reader::open(file)).schema_version(), static_cast<int>(version));
    must(Writer::open(file));
    EXPECT_EQ(must(Reader::open(file)).schema_version(), db::kSchemaVersion);
    SQLite::Database(file, SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 1");
    EXPECT_FALSE(Reader::open(file)) << "a version that has other tables";
  }
}

TEST(Migrate, AnOldFileIsBroughtUpOnOpening) {
  TempDir dir;
  { SQLite::Database empty((dir / "w.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE); }
  must(Writer::open(dir / "w.db"));
  EXPECT_EQ(must(Reader::open(dir / "w.db")).schema_version(), db::kSchemaVersion);
}

} // namespace
} // namespace warptune
