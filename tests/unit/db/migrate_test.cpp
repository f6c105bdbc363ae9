#include "db/connection.h"
#include "db/merge.h"
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
  EXPECT_THAT(db::member_columns(),
              ::testing::Contains(::testing::FieldsAre(5, "trials", "sm_clock_min_mhz", "sm_clock_min_mhz REAL",
                                                       "CHECK (sm_clock_min_mhz BETWEEN 0 AND 1000000000000000)")));
  EXPECT_THAT(db::member_columns(), ::testing::Contains(::testing::FieldsAre(
                                        6, "best", "baseline_us", "baseline_us REAL", "CHECK (baseline_us >= 0)")));
  EXPECT_THAT(db::member_columns(),
              ::testing::Contains(::testing::FieldsAre(6, "best", "baseline", "baseline TEXT", "")));
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

// Schema 5 had a separate script before its column came from the member list.
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
  std::string made_today = now.execAndGet(table).getString();
  const std::string check =
      " CHECK (sm_clock_min_mhz BETWEEN 0 AND 1000000000000000)"; // a file from that time lacks it
  ASSERT_NE(made_today.find(check), std::string::npos);
  EXPECT_EQ(made_today.erase(made_today.find(check), check.size()), before);
  db::migrate(db, std::span(today).first(5));
  EXPECT_EQ(db.execAndGet(table).getString(), before);
}

// Schema 8 added the samples of instructions.
TEST(Migrate, AnOlderFileHasNoSamplesAndGetsTheirTable) {
  TempDir dir;
  const std::string file = (dir / "w.db").string();
  {
    SQLite::Database old(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const std::vector<db::Migration> all = db::embedded_migrations();
    db::migrate(old, std::span(all).first(7));
    EXPECT_FALSE(old.tableExists("source_samples"));
  }
  EXPECT_TRUE(must(must(Reader::open(file)).source_samples(1)).empty());
  Writer writer = must(Writer::open(file));
  const RowId session = must(writer.begin_session(sample_identity(), 2, "0"));
  must(writer.record(session, sample_config(), sample_trial()));
  must(writer.add(session, sample_config(), {{}, {}, "text"}));
  EXPECT_EQ(must(must(Reader::open(file)).source_samples(session)).size(), 1U);
}

// Files of every version's schema are recognised and migrated; a schema that differs is refused before the file
// changes.
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

TEST(Migrate, ColumnsOfMembersHaveTheirRangesInNewFiles) {
  TempDir dir;
  {
    Writer writer = must(Writer::open(dir / "w.db"));
    must(writer.record(must(writer.begin_session(sample_identity(), 2, "0")), sample_config(1), sample_trial(1)));
  }
  SQLite::Database db((dir / "w.db").string(), SQLite::OPEN_READWRITE);
  EXPECT_THROW(db.exec("UPDATE trials SET sm_clock_min_mhz = -1"), SQLite::Exception);
  db.exec("UPDATE trials SET sm_clock_min_mhz = NULL");
  db.exec("UPDATE trials SET sm_clock_min_mhz = 1200");
}

// Another version may have written another range; a condition that is more than a range is foreign.
TEST(Migrate, AFileWithAnotherRangeOpens) {
  for (const auto& [check, opens] : std::vector<std::pair<std::string, bool>>{{"BETWEEN -5 AND 1e9)", true},
                                                                              {">= 0)", true},
                                                                              {">= abs(1))", false},
                                                                              {">= 0) NOT NULL DEFAULT 1", false}}) {
    TempDir dir;
    const std::string file = (dir / "w.db").string();
    must(Writer::open(file));
    SQLite::Database(file, SQLite::OPEN_READWRITE)
        .exec("ALTER TABLE trials DROP COLUMN sm_clock_min_mhz;"
              "ALTER TABLE trials ADD COLUMN sm_clock_min_mhz REAL CHECK (sm_clock_min_mhz " +
              check);
    EXPECT_EQ(Reader::open(file).has_value(), opens) << check;
  }
}

// Fields of one release share a schema number: a file made between two of them has the number but lacks the later
// field.
TEST(Migrate, AFileThatLacksAColumnOfItsSchemaIsReadAndBroughtUp) {
  for (const char* column : {"trials.sm_clock_min_mhz", "best.baseline", "best.baseline_us", "best.without_calls_us"}) {
    const std::string table = std::string(column).substr(0, std::string(column).find('.'));
    const std::string name = std::string(column).substr(table.size() + 1);
    TempDir dir;
    const std::string file = (dir / "w.db").string();
    RowId session = 0;
    {
      Writer writer = must(Writer::open(file));
      session = must(writer.begin_session(sample_identity(), 2, "0"));
      must(writer.record(session, sample_config(1), sample_trial(1)));
      BestRecord best;
      best.session = session;
      best.config = sample_config(1);
      best.median_us = 1;
      must(writer.put_best(best));
    }
    SQLite::Database(file, SQLite::OPEN_READWRITE).exec("ALTER TABLE " + table + " DROP COLUMN " + name);
    const auto has_column = [&] {
      SQLite::Database db(file, SQLite::OPEN_READWRITE);
      return integer(db, "SELECT count(*) FROM pragma_table_info('" + table + "') WHERE name = '" + name + "'") == 1;
    };
    ASSERT_FALSE(has_column());
    const auto read = [&] {
      const Reader reader = must(Reader::open(file));
      EXPECT_EQ(reader.schema_version(), db::kSchemaVersion);
      EXPECT_EQ(must(reader.trials(session)).size(), 1U) << column;
      EXPECT_EQ(must(reader.best()).size(), 1U) << column;
      EXPECT_EQ(reader.skipped_rows(), 0);
    };
    read();
    EXPECT_FALSE(has_column()) << "reading changes nothing";
    EXPECT_EQ(must(merge_databases(dir / "merged.db", {file}, {})).total().trials_added, 1) << column;
    EXPECT_EQ(must(merge_databases(dir / "merged.db", {file}, {})).total().sessions_known, 1) << column;
    must(Writer::open(file));
    EXPECT_TRUE(has_column());
    read();
    // The order of its columns differs now.
    EXPECT_EQ(must(merge_databases(dir / "merged.db", {file}, {})).total().sessions_known, 1) << column;
  }
}

TEST(Migrate, AResultWithoutFinalistsIsReadAndKept) {
  TempDir dir;
  const std::string file = (dir / "w.db").string();
  {
    Writer writer = must(Writer::open(file));
    BestRecord best;
    best.session = must(writer.begin_session(sample_identity(), 2, "0"));
    best.config = sample_config(1);
    best.median_us = 1;
    must(writer.put_best(best));
  }
  SQLite::Database(file, SQLite::OPEN_READWRITE)
      .exec("DROP TABLE best_finalists; DELETE FROM migrations WHERE version = 9; PRAGMA user_version = 8");
  for (const int version : {8, db::kSchemaVersion}) {
    const Reader reader = must(Reader::open(file));
    EXPECT_EQ(reader.schema_version(), version);
    ASSERT_EQ(must(reader.best()).size(), 1U);
    EXPECT_TRUE(must(reader.best())[0].finalists.empty());
    EXPECT_EQ(reader.skipped_rows(), 0);
    must(Writer::open(file));
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
