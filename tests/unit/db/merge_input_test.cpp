// Inputs of a merge: older, read-only, busy, hostile and damaged databases, and files that are not databases. The input
// never changes, and the output is either unchanged or complete.
#include "db/connection.h"
#include "db/migrate.h"
#include "unit/db/merge_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fstream>
#include <iostream>
#include <random>
#include <sys/resource.h>

namespace warptune {
namespace {

using namespace test;
using testing::HasSubstr;

struct MergeInput : MergeTest {
  void expect_refused(const fs::path& output, const std::vector<fs::path>& inputs, ErrorKind kind,
                      const std::string& part) {
    const bool there = fs::exists(output);
    const auto before = there && fs::file_size(output) > 0 ? read_text(output) : std::string();
    const auto result = merge_databases(output, inputs, {});
    ASSERT_FALSE(result) << part;
    EXPECT_EQ(result.error().kind, kind);
    EXPECT_THAT(result.error().message, HasSubstr(part));
    EXPECT_THAT(result.error().message, testing::Not(HasSubstr("\n")));
    EXPECT_EQ(fs::exists(output), there);
    if (there) {
      EXPECT_EQ(read_text(output), before);
    }
  }
};

// Two sessions of the same second, as a warptune with schema 1 left them.
void make_old(const fs::path& file) {
  SQLite::Database db(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const auto scripts = db::embedded_migrations();
  db::migrate(db, std::span(scripts).first(1));
  db.exec("INSERT INTO toolchains VALUES (1, '580.1', 'NVRTC 13');"
          "INSERT INTO devices (id, backend, name, uuid, arch, seen_at) VALUES (1, 'cuda', 'T', 'GPU-1', 'sm_90a', "
          "'2025-01-01T00:00:00Z');"
          "INSERT INTO kernels VALUES (1, 'softmax', 'abc', '2025-01-01T00:00:00Z');"
          "INSERT INTO problems VALUES (1, 'softmax', 'rows=1;bf16');"
          "INSERT INTO configs VALUES (1, 'softmax', 'VEC=1'), (2, 'softmax', 'VEC=2')");
  for (const char* session : {"1", "2"}) {
    db.exec(std::string("INSERT INTO sessions VALUES (") + session +
            ", 1, 1, 1, 1, 'sm_90a', 'exhaustive', '', 0, 1, 2, 'finished', '0.1', '2025-01-01T00:00:00Z', '')");
    for (const char* config : {"1", "2"})
      db.exec(std::string("INSERT INTO trials (session_id, config_id, config_index, status, evidence, cubin_hash, "
                          "registers, spill_bytes, static_shared_bytes, occupancy, compile_ms, verify_ms, measure_ms, "
                          "recorded_at) VALUES (") +
              session + "," + config + ", 0, 'compile_failed', '" + std::string(config[0] == '1' ? 900 : 9, 'x') +
              "', '', 0, 0, 0, 0, 1." + session + ", 0, 0, '2025-01-01T00:00:01Z')");
  }
}

TEST_F(MergeInput, AnOlderSchemaIsReadAsItIsAndCopiesOfItAgree) {
  make_old(a);
  fs::copy_file(a, b);
  const std::string bytes = read_text(a);
  const Reader old = must(Reader::open(a));
  EXPECT_EQ(old.schema_version(), 1);
  EXPECT_EQ(must(old.trials(1)).at(0).trial.evidence.size(), 900U) << "a reader needs no migration";
  MergeReport report = merge(out, {a});
  EXPECT_EQ(report.total().sessions_added, 2) << "two sessions that began in one second are two";
  EXPECT_EQ(report.total().trials_added, 4);
  EXPECT_EQ(read_text(a), bytes);
  EXPECT_EQ(count(out, "evidence_texts"), 1);
  for (const SessionRecord& s : must(must(Reader::open(out)).sessions()))
    EXPECT_EQ(must(must(Reader::open(out)).trials(s.id)).at(0).trial.evidence, std::string(900, 'x'));
  must(Writer::open(b)); // migrated separately, on another machine
  report = merge(out, {b});
  EXPECT_EQ(report.total().sessions_known, 2);
  EXPECT_EQ(report.total().trials_added, 0);
  EXPECT_TRUE(report.conflicts.empty());
  // An old output is migrated.
  EXPECT_EQ(merge(a, {out}).total().sessions_known, 2);
}

TEST_F(MergeInput, ADatabaseInUseIsMergedAsItIsNow) {
  const RowId session = fill(a, 2);
  Writer writer = must(Writer::open(a));
  record(writer, session, 50, 1); // only in the log
  ASSERT_GT(fs::file_size(a.string() + "-wal"), 0U);
  EXPECT_EQ(merge(out, {a}).total().trials_added, 3);
  record(writer, session, 60, 1);
  EXPECT_EQ(merge(out, {a}).total().trials_added, 1);
}

// Run as another user, because root may write any file. Without and with a log beside the file.
TEST_F(MergeInput, AReadOnlyFolderIsNoHindrance) {
  for (const bool log : {false, true}) {
    const fs::path folder = dir / (log ? "log" : "plain");
    fs::create_directory(folder);
    const fs::path file = folder / "a.db";
    fill(file, 3);
    if (log)
      run_child([&] { // ends with the log in place
        Writer writer = must(Writer::open(file));
        record(writer, 1, 50, 2);
        ::kill(::getpid(), SIGKILL);
        return 0;
      });
    fs::remove(file.string() + "-shm");
    ASSERT_EQ(fs::exists(file.string() + "-wal"), log);
    for (const auto& entry : fs::directory_iterator(folder))
      fs::permissions(entry.path(), fs::perms::owner_read | fs::perms::others_read);
    fs::permissions(folder,
                    fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
    const fs::path output = dir / (log ? "1.db" : "2.db");
    const int code = run_child([&] {
      if (!drop_root()) return 77;
      const auto report = merge_databases(output, {file}, {});
      if (!report) std::cerr << report.error().message << std::endl;
      return report && report->total().trials_added == (log ? 5 : 3) ? 0 : 1;
    });
    fs::permissions(folder, fs::perms::all);
    if (code == 77) GTEST_SKIP() << "cannot give up the rights of root";
    EXPECT_EQ(code, 0);
  }
}

TEST_F(MergeInput, WhatCannotBeMergedIsRefusedInOneSentence) {
  fill(a, 1);
  fill(out, 1);
  change(out, "PRAGMA wal_checkpoint(TRUNCATE)");
  const auto make = [&](const char* name, const std::string& sql) {
    SQLite::Database(dir / name, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
    return dir / name;
  };
  std::ofstream(dir / "text") << std::string(5000, 'x');
  std::ofstream(dir / "empty").close();
  copy(a, dir / "newer.db");
  change(dir / "newer.db", "PRAGMA user_version = 99");
  copy(a, dir / "holes.db");
  change(dir / "holes.db", "DROP TABLE samples");
  copy(a, dir / "cut.db");
  fs::resize_file(dir / "cut.db", fs::file_size(a) / 2);
  fs::create_symlink(a, dir / "link.db");
  for (const fs::path& output : {out, dir / "new.db"}) {
    expect_refused(output, {a, dir / "text"}, ErrorKind::database, "is not a warptune database");
    expect_refused(output, {a, dir / "empty"}, ErrorKind::database, "nothing was recorded in");
    expect_refused(output, {a, dir / "none"}, ErrorKind::database, "there is no database");
    expect_refused(output, {a, dir / "newer.db"}, ErrorKind::database, "schema 99");
    expect_refused(output, {a, dir / "holes.db"}, ErrorKind::database, "its table samples is missing");
    expect_refused(output, {a, dir / "cut.db"}, ErrorKind::database, "cut.db is damaged");
    expect_refused(output, {a, dir.path()}, ErrorKind::database, "is a folder");
    expect_refused(output, {a, a}, ErrorKind::bad_input, "are the same file");
    expect_refused(output, {a, dir / "link.db"}, ErrorKind::bad_input, "are the same file");
    expect_refused(output, {}, ErrorKind::bad_input, "nothing to merge");
  }
  expect_refused(out, {make("other.db", "CREATE TABLE bookmarks (id INTEGER)")}, ErrorKind::database,
                 "another program");
  expect_refused(out, {a, out}, ErrorKind::bad_input, "is both the output and an input");
  expect_refused(dir / "text", {a}, ErrorKind::database, "is not a warptune database");
  expect_refused(dir / "text/x.db", {a}, ErrorKind::database, "cannot make a folder");
}

// Takes minutes if each name is compared with all earlier ones; then ctest's limit ends the test.
TEST_F(MergeInput, AHundredThousandNamesAreLookedAtOnce) {
  std::vector<fs::path> names;
  for (int i = 0; i < 100'000; ++i) names.push_back(dir / ("none-" + std::to_string(i) + ".db"));
  expect_refused(out, names, ErrorKind::database, "none-0.db");
  names.push_back(names[7]);
  expect_refused(out, names, ErrorKind::bad_input, "are the same file");
}

TEST_F(MergeInput, RowsThatCannotBeTrueAreSkippedAndCounted) {
  for (const auto& [sql, rows, trials] : std::vector<std::tuple<std::string, int, int>>{
           {"UPDATE trials SET status = 'great' WHERE id = 1", 1, 3},
           {"UPDATE trials SET median_us = 9e999 WHERE id = 1", 1, 3},
           {"UPDATE trials SET registers = -1 WHERE id = 1", 1, 3},
           {"UPDATE trials SET config_id = 999 WHERE id = 1", 1, 3},
           {"UPDATE samples SET us = x'00' WHERE trial_id = 1", 1, 3},
           {"UPDATE sessions SET state = 'dancing'", 5, 0},
           {"UPDATE sessions SET kernel_id = 999", 5, 0},
           {"UPDATE peak_rates SET rate = -1 WHERE name = 'l2_gbs'", 1, 4},
           // Only its reader refuses it.
           {"UPDATE trials SET median_us = 1e-300 WHERE id = 1", 1, 3},
           {"UPDATE trials SET sm_clock_min_mhz = -5 WHERE id = 1", 1, 3},
           {"UPDATE best SET p_value = 2", 1, 4},
           {"UPDATE best SET median_us = 0", 1, 4},
           {"UPDATE best SET baseline_us = 1e-300", 1, 4},
           {"UPDATE best SET without_calls_us = 1e-300", 1, 4},
           {"UPDATE power SET average_w = 1e300 WHERE trial_id = 1", 1, 4},
           {"UPDATE power SET window_ms = 9e999 WHERE trial_id = 1", 1, 4},
           {"UPDATE counters SET value = -1 WHERE trial_id = 1 AND metric_id = (SELECT min(metric_id) FROM counters "
            "WHERE "
            "trial_id = 1)",
            1, 4},
           {"UPDATE peak_rates SET rate = 1e300 WHERE name = 'l2_gbs'", 1, 4},
           {"INSERT INTO best_rounds (best_id, position, winner_us, throttle_reasons) VALUES (1, 0, 1e-300, 0)", 1, 4},
           {"INSERT INTO best_finalists SELECT 1, 0, id, 1e-300 FROM configs LIMIT 1", 1, 4},
           {"INSERT INTO best_pareto SELECT 1, 0, id, 10, 0 FROM configs LIMIT 1", 1, 4}}) {
    fs::remove(a);
    fs::remove(out);
    fill(a, 4);
    change(a, sql);
    const MergeReport report = merge(out, {a});
    EXPECT_EQ(report.total().skipped_rows, rows) << sql;
    ASSERT_EQ(report.notes.size(), 1U) << sql;
    EXPECT_THAT(report.notes[0], HasSubstr(" not merged, because "));
    EXPECT_EQ(report.total().trials_added, trials) << sql;
    EXPECT_EQ(SQLite::Database(out.string()).execAndGet("PRAGMA integrity_check").getString(), "ok") << sql;
    const Reader merged = must(Reader::open(out));
    (void)must(merged.best());
    if (trials > 0) (void)must(merged.trials(1));
    (void)must(merged.devices());
    EXPECT_EQ(merged.skipped_rows(), 0) << sql;
  }
}

// A foreign table, a false uuid, and a diagnostic under a false hash.
TEST_F(MergeInput, WhatAHostileFileClaimsDoesNotChangeWhatIsThere) {
  fill(a, 6);
  merge(out, {a});
  const auto sessions = must(must(Reader::open(out)).trials(1)).size();
  fill(b, 6);
  SQLite::Database source(a.string());
  const std::string uuid = source.execAndGet("SELECT uuid FROM sessions").getString();
  change(b, "CREATE TABLE mine (id INTEGER, trial INTEGER REFERENCES trials (id) ON DELETE CASCADE); "
            "INSERT INTO mine VALUES (1, 1); UPDATE sessions SET seed = 5, uuid = '" +
                uuid +
                "'; "
                "UPDATE evidence_texts SET text = 'forged'");
  const MergeReport report = merge(out, {b});
  EXPECT_EQ(report.total().sessions_added, 1) << "another seed: another session, whatever its uuid";
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_THAT(report.notes[0], HasSubstr("the table mine of"));
  const auto trials = must(must(Reader::open(out)).trials(1));
  ASSERT_EQ(trials.size(), sessions);
  EXPECT_EQ(trials[5].trial.evidence, std::string(900, 'x'));
  EXPECT_EQ(merge(out, {b}).total().sessions_known, 1);
}

TEST_F(MergeInput, DamagedBytesEndInAMergeOrAnErrorAndNeverInADamagedOutput) {
  fill(a, 4);
  change(a, "PRAGMA wal_checkpoint(TRUNCATE)");
  fill(out, 4);
  const std::string sound = read_text(a);
  const auto before = dump(out);
  std::mt19937 random(13);
  int merged = 0, refused = 0;
  for (int round = 0; round < 150; ++round) {
    std::string bytes = sound;
    for (auto flips = 1 + random() % 20; flips > 0; --flips)
      bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
    std::ofstream(b, std::ios::binary) << bytes;
    const auto result = merge_databases(out, {b}, {});
    ++(result ? merged : refused);
    if (!result) {
      EXPECT_EQ(result.error().kind, ErrorKind::database);
      EXPECT_THAT(result.error().message, HasSubstr(b.string())) << "the input is to blame";
    }
    ASSERT_EQ(SQLite::Database(out.string()).execAndGet("PRAGMA integrity_check").getString(), "ok");
  }
  EXPECT_GT(merged, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(MergeInput, KilledAtAnyMomentTheOutputIsAsBeforeOrComplete) {
  for (int n = 0; n < 4; ++n) {
    SessionIdentity identity = sample_identity();
    identity.seed = static_cast<std::uint64_t>(n);
    fill(a, 20, identity);
  }
  fill(b, 1);
  merge(c, {b});
  const auto before = dump(c);
  for (int moment = 1; moment <= 4; ++moment)
    for (const fs::path& output : {c, out}) {
      MergeOptions options;
      int calls = 0;
      options.holder = [&](const fs::path& file, RowId) {
        if (file == a && ++calls == moment) ::kill(::getpid(), SIGKILL);
        return std::string();
      };
      EXPECT_EQ(run_child([&] { return merge_databases(output, {a}, options) ? 0 : 1; }), 128 + SIGKILL);
      if (output == out)
        EXPECT_FALSE(fs::exists(out));
      else
        EXPECT_EQ(dump(c), before);
    }
  EXPECT_EQ(merge(c, {a}).total().sessions_added, 4) << "it can be done again";
}

TEST_F(MergeInput, AFullDiskLeavesTheOutputAsItWas) {
  for (int n = 0; n < 3; ++n) {
    SessionIdentity identity = sample_identity();
    identity.seed = static_cast<std::uint64_t>(n);
    fill(a, 200, identity);
  }
  fill(c, 1);
  const auto before = dump(c);
  for (const fs::path& output : {c, out})
    EXPECT_EQ(run_child([&] {
                ::signal(SIGXFSZ, SIG_IGN);
                const rlimit limit{200'000, 200'000};
                ::setrlimit(RLIMIT_FSIZE, &limit);
                const auto result = merge_databases(output, {a}, {});
                if (!result) std::cerr << result.error().message << std::endl;
                return !result && result.error().message.find("disk is full") != std::string::npos ? 0 : 1;
              }),
              0);
  EXPECT_EQ(dump(c), before);
  EXPECT_FALSE(fs::exists(out));
}

} // namespace
} // namespace warptune
