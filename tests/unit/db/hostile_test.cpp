// A database may come from an untrusted source: its rows are checked, and one bad row does not affect the others.
#include "db/trial_rows.h"
#include "unit/db/fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

namespace warptune {
namespace {

using namespace test;

struct HostileDatabase : testing::Test {
  TempDir dir;
  std::filesystem::path file = dir / "w.db";
  RowId session = 0;
  void SetUp() override {
    Writer writer = must(Writer::open(file));
    session = must(writer.begin_session(sample_identity(), 2, "0"));
    must(writer.put_device(sample_device()));
    for (int n = 1; n <= 2; ++n) must(writer.record(session, sample_config(n), sample_trial(n)));
    BestRecord best;
    best.session = session;
    best.config = sample_config(1);
    best.median_us = 1;
    must(writer.put_best(best));
  }
  void change(const std::string& sql) {
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("PRAGMA ignore_check_constraints = ON; " + sql);
  }
};

TEST_F(HostileDatabase, SkipsTrialsThatCannotBeTrue) {
  for (const char* sql :
       {"UPDATE trials SET status = 'great' WHERE id = 1", "UPDATE trials SET median_us = -1 WHERE id = 1",
        "UPDATE trials SET median_us = 9e999 WHERE id = 1", "UPDATE trials SET median_us = NULL WHERE id = 1",
        "UPDATE trials SET ci_low_us = NULL WHERE id = 1", "UPDATE samples SET us = x'0000c07f' WHERE trial_id = 1",
        "UPDATE trials SET median_us = 0 WHERE id = 1", "UPDATE trials SET median_us = 1e-300 WHERE id = 1",
        "UPDATE trials SET median_us = 1e300 WHERE id = 1", "UPDATE trials SET ci_high_us = 9e999 WHERE id = 1",
        "UPDATE trials SET rel_iqr = 9e999 WHERE id = 1", "UPDATE trials SET occupancy = 1e300 WHERE id = 1",
        "UPDATE samples SET us = x'00000000' WHERE trial_id = 1",
        "UPDATE samples SET us = x'01000000' WHERE trial_id = 1", "UPDATE samples SET us = x'00' WHERE trial_id = 1",
        "UPDATE configs SET text = 'VEC=' WHERE id = 1"}) {
    TearDown();
    std::filesystem::remove(file);
    SetUp();
    change(sql);
    const Reader reader = must(Reader::open(file));
    EXPECT_EQ(must(reader.trials(session)).size(), 1U) << sql;
    EXPECT_EQ(reader.skipped_rows(), 1) << sql;
  }
}

TEST_F(HostileDatabase, ABestTakesThePlaceOfItsSessionsEarlierOne) {
  BestRecord best;
  best.session = session;
  best.config = sample_config(2);
  best.tie_set = {sample_config(1), sample_config(2)};
  for (int i = 0; i < 2; ++i) must(must(Writer::open(file)).put_best(best));
  SQLite::Database db(file.string());
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM best").getInt(), 1);
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM best_ties").getInt(), 2);
}

TEST_F(HostileDatabase, SkipsABestThatCannotBeTrue) {
  change("UPDATE best SET median_us = 9e999");
  EXPECT_TRUE(must(must(Reader::open(file)).best()).empty());
  change("UPDATE best SET median_us = 1");
  EXPECT_EQ(must(must(Reader::open(file)).best()).size(), 1U);
  change("UPDATE configs SET text = 'VEC' WHERE text LIKE 'VEC=1%'");
  EXPECT_TRUE(must(must(Reader::open(file)).best()).empty());
}

// The schema allows these numbers, but each made a report crash, run out of memory or divide by zero.
TEST_F(HostileDatabase, SkipsABestWhoseNumbersOnlyTheSchemaAllows) {
  for (const char* number : {"median_us = 0", "median_us = 1e-300", "median_us = 1e300", "ci_low_us = 1e-300",
                             "default_us = 1e-300", "roofline_share = 1e-300", "roofline_share = 1e300", "p_value = 2",
                             "energy_mj = 1e-300", "baseline_us = 1e-300", "without_calls_us = 1e-300"}) {
    TearDown();
    std::filesystem::remove(file);
    SetUp();
    change(std::string("UPDATE best SET ") + number);
    const Reader reader = must(Reader::open(file));
    EXPECT_TRUE(must(reader.best()).empty()) << number;
    EXPECT_EQ(reader.skipped_rows(), 1) << number;
  }
}

// The reasons are a bit mask, so a negative number is invalid.
TEST_F(HostileDatabase, ReasonsToThrottleBelow0AreNotKnown) {
  change("UPDATE power SET throttle_reasons = -1; "
         "INSERT INTO best_rounds (best_id, position, winner_us, throttle_reasons) VALUES (1, 0, 5, -1)");
  const Reader reader = must(Reader::open(file));
  const auto trials = must(reader.trials(session));
  ASSERT_FALSE(trials.empty());
  ASSERT_TRUE(trials[0].trial.power);
  EXPECT_EQ(trials[0].trial.power->throttle_reasons, 0U);
  const auto best = must(reader.best());
  ASSERT_EQ(best.size(), 1U);
  ASSERT_EQ(best[0].rounds.size(), 1U);
  EXPECT_EQ(best[0].rounds[0].device.throttle_reasons, 0U);
  EXPECT_EQ(reader.skipped_rows(), 0);
}

TEST_F(HostileDatabase, AFinalistWithAnImpossibleTimeIsSkipped) {
  change("INSERT INTO best_finalists SELECT 1, 0, id, 1e-300 FROM configs LIMIT 1; "
         "INSERT INTO best_finalists SELECT 1, 1, id, 5 FROM configs LIMIT 1");
  const Reader reader = must(Reader::open(file));
  const auto best = must(reader.best());
  ASSERT_EQ(best.size(), 1U);
  ASSERT_EQ(best[0].finalists.size(), 1U);
  EXPECT_EQ(best[0].finalists[0].median_us, 5);
  EXPECT_EQ(reader.skipped_rows(), 1);
}

// A foreign schema is refused before any of warptune's statements could run its SQL.
TEST_F(HostileDatabase, AForeignSchemaIsRefused) {
  const std::string hang = "SELECT * FROM t WHERE x = (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) "
                           "SELECT count(*) FROM n)";
  const std::pair<std::string, const char*> cases[] = {
      {"ALTER TABLE sessions RENAME TO t; CREATE VIEW sessions AS " + hang, "sessions"},
      {"CREATE VIEW more AS SELECT 1", "view more"},
      {"CREATE TRIGGER swallow BEFORE INSERT ON trials BEGIN SELECT raise(IGNORE); END", "trigger swallow"},
      {"CREATE TRIGGER swallow AFTER INSERT ON trials BEGIN DELETE FROM trials; END", "trigger swallow"},
      {"ALTER TABLE trials ADD COLUMN more TEXT AS (replace(evidence, 'a', evidence))", "table trials"},
      {"CREATE UNIQUE INDEX one ON trials (config_id)", "index one"},
      {"DROP INDEX best_by_session; CREATE INDEX best_by_session ON best (abs(median_us))", "index best_by_session"}};
  for (const auto& [sql, what] : cases) {
    TearDown();
    std::filesystem::remove(file);
    SetUp();
    change(sql);
    const auto reader = Reader::open(file);
    ASSERT_FALSE(reader) << sql;
    EXPECT_EQ(reader.error().kind, ErrorKind::database) << sql;
    EXPECT_THAT(reader.error().message, testing::AllOf(testing::HasSubstr("contains the "), testing::HasSubstr(what)));
    const auto writer = Writer::open(file);
    ASSERT_FALSE(writer) << sql;
    EXPECT_THAT(writer.error().message, testing::HasSubstr(what)) << sql;
  }
}

TEST_F(HostileDatabase, TablesOfOthersMayBeThere) {
  change("CREATE TABLE mine (id INTEGER PRIMARY KEY AUTOINCREMENT, trial INTEGER REFERENCES trials (id)); "
         "CREATE INDEX mine_by_trial ON mine (trial); ANALYZE");
  EXPECT_EQ(must(must(Reader::open(file)).trials(session)).size(), 2U);
  EXPECT_TRUE(Writer::open(file));
}

TEST_F(HostileDatabase, SkipsSessionsAndDevicesThatCannotBeTrue) {
  change("UPDATE sessions SET state = 'dancing'; UPDATE devices SET warp_size = -32");
  const Reader reader = must(Reader::open(file));
  EXPECT_TRUE(must(reader.sessions()).empty());
  EXPECT_TRUE(must(reader.devices()).empty());
  EXPECT_EQ(reader.skipped_rows(), 2);
}

TEST_F(HostileDatabase, AMissingTableIsAnError) {
  change("DROP TABLE best_ties; DROP TABLE best");
  const auto best = must(Reader::open(file)).best();
  ASSERT_FALSE(best);
  EXPECT_EQ(best.error().kind, ErrorKind::database);
  EXPECT_THAT(best.error().message, testing::HasSubstr("no such table"));
}

// Bytes at random places: whatever SQLite then returns, every query returns rows or an error of the right kind.
TEST_F(HostileDatabase, DamagedBytesEndInRowsOrAnError) {
  std::ifstream in(file, std::ios::binary);
  const std::string sound{std::istreambuf_iterator<char>(in), {}};
  std::mt19937 random(11);
  const auto settle = [](const auto& result) {
    EXPECT_TRUE(result.has_value() || result.error().kind == ErrorKind::database);
  };
  for (int round = 0; round < 300; ++round) {
    std::string bytes = sound;
    for (auto flips = 1 + random() % 40; flips > 0; --flips)
      bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
    std::ofstream(file, std::ios::binary) << bytes;
    const Result<Reader> reader = Reader::open(file);
    if (!reader) {
      EXPECT_EQ(reader.error().kind, ErrorKind::database);
      continue;
    }
    settle(reader->sessions());
    settle(reader->trials(session));
    settle(reader->best());
    settle(reader->devices());
    settle(reader->kernel("softmax"));
    settle(reader->kernel_names());
    settle(reader->cubin("c0ffee"));
    settle(reader->roofs("GPU-1234"));
  }
}

TEST(ConfigValues, ReadsOnlyWhatConfigTextWrites) {
  EXPECT_EQ(db::config_values("VEC=4,SHIFT=-2"), (Config{4, -2}));
  EXPECT_EQ(db::config_values(""), Config{});
  for (const char* bad : {"VEC", "=4", "VEC=", "VEC=4,", "VEC=4;B=2", "VEC=99999999999999999999", "VEC=4,,B=1", ","})
    EXPECT_FALSE(db::config_values(bad)) << bad;
  for (const char* bad :
       {"VEC", "=4", "VEC=", "VEC=4,", "VEC=4;B=2", "VEC=99999999999999999999", "VEC=4,,B=1", ",", "A=\x1b"})
    EXPECT_FALSE(db::is_config_text(bad)) << bad;
  EXPECT_TRUE(db::is_config_text("implementation=online,VEC=4"));
  EXPECT_FALSE(db::config_values("implementation=online,VEC=4")) << "a label means nothing without its spec";
}

TEST(DatabasePath, PrefersWhatIsGivenThenTheEnvironmentThenTheUsersData) {
  ::setenv("WARPTUNE_DB", "/env.db", 1);
  EXPECT_EQ(database_path("given.db"), "given.db");
  EXPECT_EQ(database_path(""), "/env.db");
  ::unsetenv("WARPTUNE_DB");
  ::setenv("XDG_DATA_HOME", "/xdg", 1);
  EXPECT_EQ(database_path(""), "/xdg/warptune/warptune.db");
  ::setenv("XDG_DATA_HOME", "relative", 1);
  ::setenv("HOME", "/users/me", 1);
  EXPECT_EQ(database_path(""), "/users/me/.local/share/warptune/warptune.db");
  ::unsetenv("XDG_DATA_HOME");
}

} // namespace
} // namespace warptune
