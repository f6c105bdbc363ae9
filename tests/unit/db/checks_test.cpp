// Checks of results: the values that they store, the results that they disqualify, and files from before checks
// existed.
#include "db/connection.h"
#include "db/migrate.h"
#include "db/tuned_entries.h"
#include "unit/db/fixture.h"

namespace warptune {
namespace {

using namespace test;
using testing::HasSubstr;

constexpr const char* kLongAgo = "2020-01-01T00:00:00Z";

struct Checks : testing::Test {
  TempDir dir;
  std::filesystem::path file = dir / "w.db";
  Writer writer = must(Writer::open(file));
  Reader reader() { return must(Reader::open(file)); }
  BestRecord only() {
    auto all = must(reader().best());
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? BestRecord{} : all.front();
  }

  // Stores a result in its own session; returns its row.
  RowId put(int config, double median_us, const SessionIdentity& identity = sample_identity()) {
    BestRecord best;
    best.session = must(writer.begin_session(identity, 4, "0.1.0"));
    must(writer.record(best.session, sample_config(config), sample_trial(config)));
    best.config = sample_config(config);
    best.median_us = median_us;
    best.certified = true;
    best.created_at = kLongAgo;
    must(writer.put_best(best));
    return must(reader().best_of_session(best.session)).value().id;
  }
  void check(RowId best, CheckStatus status, const std::string& stale = {}) {
    CheckRecord c;
    c.best = best;
    c.status = status;
    c.version = "0.2.0";
    c.evidence = "y[5] is 9\nand more";
    c.stale = stale;
    if (status != CheckStatus::not_timed) c.driver = "590.2";
    if (status == CheckStatus::holds || status == CheckStatus::moved || status == CheckStatus::slower_than_default)
      c.median_us = c.ci_low_us = c.ci_high_us = 12;
    must(writer.put_check(c));
  }
};

TEST_F(Checks, KeepEveryField) {
  CheckRecord want;
  want.best = put(1, 10);
  want.status = CheckStatus::moved;
  want.driver = "590.2";
  want.compiler = "NVRTC 13.1";
  want.version = "0.2.0";
  want.rounds = 15;
  want.median_us = 12.5;
  want.ci_low_us = 12;
  want.ci_high_us = 13;
  want.default_us = 20;
  want.evidence = "10 us then, 12.5 us now";
  want.stale = "driver 580.1 then, 590.2 now";
  must(writer.put_check(want));
  const auto all = must(reader().checks(want.best));
  ASSERT_EQ(all.size(), 1U);
  const CheckRecord& got = all[0];
  EXPECT_GT(got.id, 0);
  EXPECT_EQ(got.best, want.best);
  EXPECT_EQ(got.status, want.status);
  EXPECT_EQ(got.driver, want.driver);
  EXPECT_EQ(got.compiler, want.compiler);
  EXPECT_EQ(got.version, want.version);
  EXPECT_EQ(got.rounds, 15);
  EXPECT_EQ(got.median_us, 12.5);
  EXPECT_EQ(got.ci_low_us, 12);
  EXPECT_EQ(got.ci_high_us, 13);
  EXPECT_EQ(got.default_us, 20);
  EXPECT_EQ(got.evidence, want.evidence);
  EXPECT_EQ(got.stale, want.stale);
  EXPECT_FALSE(got.checked_at.empty());
  const BestRecord best = only();
  EXPECT_EQ(best.device_backend, "cuda");
  EXPECT_EQ(best.driver, "580.1");
  EXPECT_EQ(best.compiler, "NVRTC 13.0.88");
  EXPECT_EQ(best.version, "0.1.0");
  ASSERT_TRUE(best.last_check);
  EXPECT_EQ(best.last_check->median_us, 12.5);
  EXPECT_THAT(standing_text(best),
              testing::MatchesRegex("stale: driver 580.1 then, 590.2 now; last re-checked 20..-..-..: moved"));
}

TEST_F(Checks, TheNewestSpeaksAndTheOthersStay) {
  const RowId best = put(1, 10);
  check(best, CheckStatus::moved);
  check(best, CheckStatus::holds);
  check(best, CheckStatus::not_timed, "the kernel's sources changed");
  const BestRecord row = only();
  EXPECT_EQ(row.stale, "the kernel's sources changed");
  ASSERT_TRUE(row.last_check);
  EXPECT_EQ(row.last_check->status, CheckStatus::holds) << "the newest that ran";
  EXPECT_EQ(row.disqualified, "");
  EXPECT_EQ(must(reader().checks(best)).size(), 3U);
  EXPECT_FALSE(writer.put_check({0, 99, CheckStatus::failed, {}, {}, {}, 0, 0, 0, 0, 0, {}, {}, {}}));
}

TEST_F(Checks, WhatIsWrongMakesRoomForTheNextBest) {
  const RowId fast = put(1, 10), slow = put(2, 12);
  EXPECT_EQ(only().id, fast);
  check(fast, CheckStatus::wrong);
  EXPECT_EQ(only().id, slow);
  const RowId session = must(reader().best_of_session(1)).value().session;
  EXPECT_EQ(must(reader().trials(session))[0].trial.status, TrialStatus::wrong_result) << "not to be certified again";
  check(slow, CheckStatus::wrong);
  const BestRecord last = only();
  EXPECT_THAT(last.disqualified, testing::AllOf(HasSubstr("its results were wrong when re-checked on 20"),
                                                HasSubstr(": y[5] is 9"), testing::Not(HasSubstr("more"))));
}

TEST_F(Checks, WrongIsTheSameConfigurationInEveryOlderResultOfTheArchitecture) {
  put(1, 11);
  const RowId fast = put(1, 10);
  SessionIdentity other = sample_identity();
  other.device_uuid = "GPU-5678";
  put(1, 10, other);
  SessionIdentity elsewhere = sample_identity();
  elsewhere.problem = "rows=16,cols=4;bf16";
  put(1, 10, elsewhere);
  check(fast, CheckStatus::wrong);
  int out = 0;
  for (const BestRecord& b : must(reader().best())) {
    EXPECT_EQ(b.disqualified.empty(), b.problem == elsewhere.problem) << b.id;
    out += !b.disqualified.empty();
  }
  EXPECT_EQ(out, 2) << "on both devices";
  check(fast, CheckStatus::holds);
  EXPECT_FALSE(must(reader().best_of_session(2))->disqualified.empty()) << "a race may hide";
}

TEST_F(Checks, WhatWasCertifiedAfterwardsStartsAfresh) {
  check(put(1, 10), CheckStatus::wrong);
  BestRecord again;
  again.session = must(writer.begin_session(sample_identity(), 4, "0.1.0"));
  again.config = sample_config(1);
  again.median_us = 10;
  again.created_at = "2999-01-01T00:00:00Z";
  must(writer.record(again.session, again.config, sample_trial(1)));
  must(writer.put_best(again));
  EXPECT_EQ(only().session, again.session);
  EXPECT_EQ(only().disqualified, "");
}

TEST_F(Checks, AFailureCountsUntilItPasses) {
  const RowId best = put(1, 10);
  check(best, CheckStatus::failed);
  EXPECT_THAT(only().disqualified, HasSubstr("it failed when re-checked on"));
  check(best, CheckStatus::not_timed, "the kernel's sources changed");
  EXPECT_NE(only().disqualified, "");
  check(best, CheckStatus::holds);
  EXPECT_EQ(only().disqualified, "");
}

TEST_F(Checks, RowsThatCannotBeTrueAreSkipped) {
  const RowId best = put(1, 10);
  for (const char* sql : {"UPDATE checks SET status = 'superb'", "UPDATE checks SET median_us = 9e999",
                          "UPDATE checks SET rounds = -1", "UPDATE checks SET default_us = -1"}) {
    check(best, CheckStatus::holds);
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
        .exec("PRAGMA ignore_check_constraints = ON; " + std::string(sql));
    const Reader r = reader();
    ASSERT_EQ(must(r.best()).size(), 1U) << sql;
    EXPECT_FALSE(must(r.best())[0].last_check) << sql;
    EXPECT_GT(r.skipped_rows(), 0) << sql;
  }
}

// A file as the first schema left it.
void make_old_file(const std::filesystem::path& file) {
  SQLite::Database db(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const auto scripts = db::embedded_migrations();
  db::migrate(db, std::span(scripts).first(1));
  db.exec("INSERT INTO toolchains VALUES (1, '580.1', 'NVRTC 13.0');"
          "INSERT INTO devices (id, backend, name, uuid, arch, seen_at) VALUES (1, 'cuda', 'Old', 'u', 'sm_90a', '');"
          "INSERT INTO kernels VALUES (1, 'softmax', 'abc', '');"
          "INSERT INTO problems VALUES (1, 'softmax', 'rows=8,cols=4;bf16');"
          "INSERT INTO configs VALUES (1, 'softmax', 'VEC=4,SHIFT=-2');"
          "INSERT INTO sessions VALUES (1, 1, 1, 1, 1, 'sm_90a', 'random', '', 0, 1, 4, 'finished', '0.1.0', '', '');"
          "INSERT INTO best VALUES (1, 1, 1, NULL, 10, 9, 11, 20, 0.5, 'DRAM', 1, 0.01, '', '', '', '2020')");
}

TEST(AnOldFile, ShowsItsCountersAndRoofsOnceAWriterBringsItUp) {
  TempDir dir;
  const auto file = dir / "old.db";
  make_old_file(file);
  {
    SQLite::Database db(file.string(), SQLite::OPEN_READWRITE);
    db.exec(
        "INSERT INTO trials VALUES (1, 1, 1, 4, 'ok', '', '', 40, 0, 0, 0.5, 1, 1, 1, NULL, NULL, NULL, NULL, NULL, "
        "NULL, NULL, NULL, 10, 9, 11, 9, 0.1, 1, 1, 0, 0, 0, '2020');"
        "INSERT INTO counters VALUES (1, 'dram__bytes_read.sum', 7), (1, 'sm__cycles.avg', 8);"
        "INSERT INTO peaks VALUES (1, 1, 4000, 3900, 3800, 60, 30, 120, 900, 1, '2020');");
  }
  const auto roofs_of = [&] { return must(must(Reader::open(file)).devices())[0].roofs; };
  EXPECT_EQ(roofs_of().dram_write_gbs, 3800) << "read as it is";
  EXPECT_FALSE(must(must(Reader::open(file)).trials(1))[0].trial.profile);
  { must(Writer::open(file)); }
  EXPECT_EQ(roofs_of().dram_write_gbs, 3800);
  EXPECT_EQ(roofs_of().tensor_tflops, 900);
  EXPECT_EQ(roofs_of().l2_gbs, 0);
  EXPECT_TRUE(roofs_of().measured);
  const auto trials = must(must(Reader::open(file)).trials(1));
  ASSERT_TRUE(trials[0].trial.profile);
  EXPECT_EQ(trials[0].trial.profile->counters.at("sm__cycles.avg"), 8);
  EXPECT_EQ(must(must(Reader::open(file)).sessions())[0].identity.objective, Objective::time);
  EXPECT_EQ(must(must(Reader::open(file)).best())[0].energy_mj, 0);
}

TEST(ChecksOfAnOldFile, AreNoneUntilAWriterBringsItUp) {
  TempDir dir;
  const auto file = dir / "old.db";
  make_old_file(file);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec(
          "INSERT INTO trials VALUES (1, 1, 1, 4, 'ok', '', '', 40, 0, 0, 0.5, 1, 1, 1, NULL, NULL, NULL, NULL, NULL, "
          "NULL, NULL, NULL, 10, 9, 11, 9, 0.1, 1, 1, 0, 0, 0, '2020')");
  {
    const Reader old = must(Reader::open(file));
    EXPECT_EQ(old.schema_version(), 1);
    const auto rows = must(old.best());
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].median_us, 10);
    EXPECT_FALSE(rows[0].last_check);
    EXPECT_EQ(rows[0].disqualified, "");
    EXPECT_TRUE(must(old.checks(1)).empty());
  }
  Writer writer = must(Writer::open(file));
  CheckRecord wrong;
  wrong.best = 1;
  wrong.status = CheckStatus::wrong;
  must(writer.put_check(wrong));
  const Reader now = must(Reader::open(file));
  EXPECT_EQ(now.schema_version(), db::kSchemaVersion);
  EXPECT_NE(must(now.best()).at(0).disqualified, "");
}

} // namespace
} // namespace warptune
