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

TEST(Migrate, AnOldFileIsBroughtUpOnOpening) {
  TempDir dir;
  { SQLite::Database empty((dir / "w.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE); }
  must(Writer::open(dir / "w.db"));
  EXPECT_EQ(must(Reader::open(dir / "w.db")).schema_version(), db::kSchemaVersion);
}

} // namespace
} // namespace warptune
