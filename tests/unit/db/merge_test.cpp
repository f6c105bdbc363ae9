// Guarantees of a merge: everything arrives, nothing twice, nothing is lost if copies contradict each other, and the
// order of merging does not matter.
#include "db/cubin_digest.h"
#include "unit/db/merge_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <atomic>
#include <fmt/format.h>

namespace warptune {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::IsEmpty;

SessionIdentity other_identity() {
  SessionIdentity i = sample_identity();
  i.problem = "rows=16,cols=4;bf16";
  i.device_uuid = "GPU-5678";
  i.seed = 3;
  return i;
}

TEST_F(MergeTest, EverythingArrives) {
  fill(a, 7);
  const auto before = dump(a);
  const std::string bytes = read_text(a);
  const MergeReport report = merge(out, {a});
  EXPECT_EQ(dump(out), before);
  EXPECT_EQ(read_text(a), bytes) << "the input is not changed";
  EXPECT_EQ(report.total().sessions_added, 1);
  EXPECT_EQ(report.total().trials_added, 7);
  EXPECT_EQ(report.total().kernels_added, 1);
  EXPECT_EQ(report.total().devices_added, 1);
  EXPECT_EQ(report.total().skipped_rows, 0);
  EXPECT_THAT(report.conflicts, IsEmpty());
  const Reader reader = must(Reader::open(out));
  const auto sessions = must(reader.sessions());
  ASSERT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions[0].identity, sample_identity());
  const auto trials = must(reader.trials(sessions[0].id));
  ASSERT_EQ(trials.size(), 7U);
  EXPECT_EQ(trials[5].trial.evidence, std::string(900, 'x'));
  EXPECT_EQ(trials[4].trial.timing->samples_us, sample_trial().timing->samples_us);
  EXPECT_EQ(trials[4].trial.profile->counters, sample_trial().profile->counters);
  EXPECT_EQ(trials[4].trial.power->launches, sample_trial().power->launches);
  const auto best = must(reader.best());
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].tie_set.size(), 2U);
  EXPECT_EQ(must(reader.cubin("c0ffee"))->image.size(), 5U);
  EXPECT_EQ(must(reader.kernel("softmax"))->files.size(), 2U);
  EXPECT_EQ(must(reader.roofs("GPU-1234"))->dram_read_gbs, 4000);
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(dir.path(), ec))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("merge-"))) << "nothing is left behind";
}

TEST_F(MergeTest, AStopLeavesTheOutputAsItWasAndNothingElse) {
  fill(a, 4);
  fill(b, 4);
  for (const bool there : {false, true}) {
    if (there) fill(out, 2, other_identity());
    const auto before = there ? dump(out) : std::map<std::string, std::vector<std::string>>();
    std::atomic<bool> stop{false};
    MergeOptions options;
    options.stop = &stop;
    options.holder = [&](const fs::path&, RowId) { // in the middle of the merge
      stop = true;
      return std::string("process 1");
    };
    const RowId unfinished = fill(c, 3, sample_identity(), 0, SessionState::running);
    ASSERT_GT(unfinished, 0);
    const auto merged = merge_databases(out, {a, c, b}, options);
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().kind, ErrorKind::interrupted);
    EXPECT_EQ(fs::exists(out), there);
    if (there) {
      EXPECT_EQ(dump(out), before);
    }
    for (const auto& entry : fs::directory_iterator(dir.path()))
      EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("merge-"))) << "nothing is left behind";
  }
}

TEST_F(MergeTest, TwoMachinesThatMeasuredTheSameKeepBothSessions) {
  fill(a, 4);
  fill(b, 4);
  const MergeReport report = merge(out, {a, b});
  EXPECT_EQ(report.total().sessions_added, 2);
  EXPECT_EQ(count(out, "trials"), 8);
  EXPECT_EQ(count(out, "samples"), 8);
  EXPECT_EQ(count(out, "best"), 2);
  EXPECT_EQ(count(out, "kernels"), 1);
  EXPECT_EQ(count(out, "devices"), 1);
  EXPECT_THAT(report.conflicts, IsEmpty());
}

TEST_F(MergeTest, MergingAgainAddsNothing) {
  fill(a, 4);
  fill(b, 5, other_identity());
  merge(out, {a, b});
  const auto once = dump(out);
  const MergeReport again = merge(out, {b, a});
  EXPECT_EQ(dump(out), once);
  EXPECT_EQ(again.total().sessions_known, 2);
  EXPECT_EQ(again.total().sessions_added + again.total().sessions_extended + again.total().trials_added, 0);
  // Rows that were merged into B come back with it.
  merge(b, {a});
  merge(out, {b});
  EXPECT_EQ(dump(out), once);
}

TEST_F(MergeTest, TheOrderDoesNotMatter) {
  fill(a, 4);
  fill(b, 5, other_identity());
  change(
      a,
      "UPDATE kernels SET created_at = '2026-01-01T00:00:00Z'; UPDATE cubins SET created_at = '2026-01-01T00:00:00Z'");
  // The same as in A, and newer than the value in C.
  change(
      b,
      "UPDATE kernels SET created_at = '2026-01-02T00:00:00Z'; UPDATE cubins SET created_at = '2026-01-02T00:00:00Z'");
  copy(a, c);
  change(
      c,
      "UPDATE trials SET status = 'wrong_result', evidence = 'found later' WHERE id = 1; "
      "UPDATE devices SET l2_bytes = 5, seen_at = '2099-01-01T00:00:00Z'; UPDATE sessions SET state = 'interrupted'; "
      "UPDATE cubins SET image = x'00', digest = '" +
          db::cubin_digest("c0ffee", "sm_90a", "_Z1a\n", {"\0", 1}) +
          "'; UPDATE kernel_files SET text = 'other' WHERE position = 0");
  std::vector<fs::path> files = {a, b, c};
  merge(out, files);
  const auto first = dump(out);
  EXPECT_EQ(count(out, "merge_conflicts"), 4) << "trial, device, cubin, kernel";
  while (std::next_permutation(files.begin(), files.end())) {
    const fs::path other = dir / "other.db";
    fs::remove(other);
    merge(other, files);
    EXPECT_EQ(dump(other), first) << files[0] << files[1] << files[2];
    EXPECT_EQ(count(other, "merge_conflicts"), 4) << files[0] << files[1] << files[2];
  }
  const fs::path pair = dir / "pair.db";
  merge(pair, {b, c});
  merge(a, {pair});
  EXPECT_EQ(dump(a), first) << "three at once or one after the other";
}

TEST_F(MergeTest, ACopyThatWentOnBecomesOneSessionWithTheTrialsOfBoth) {
  const RowId session = fill(a, 3, sample_identity(), 0, SessionState::interrupted);
  copy(a, b);
  {
    Writer left = must(Writer::open(a)), right = must(Writer::open(b));
    record(left, session, 10, 2);
    record(right, session, 20, 4);
    must(right.end_session(session, SessionState::finished));
  }
  const MergeReport report = merge(a, {b});
  EXPECT_EQ(report.total().sessions_extended, 1);
  EXPECT_EQ(report.total().trials_added, 4);
  EXPECT_THAT(report.conflicts, IsEmpty());
  const auto sessions = must(must(Reader::open(a)).sessions());
  ASSERT_EQ(sessions.size(), 1U);
  EXPECT_EQ(must(must(Reader::open(a)).count_trials(sessions[0].id)).all, 9);
  EXPECT_EQ(sessions[0].state, SessionState::finished);
  EXPECT_EQ(count(a, "samples"), 9);
  EXPECT_EQ(count(a, "best"), 1) << "the same in both";
}

TEST_F(MergeTest, WhereCopiesContradictTheLaterStandsAndTheOtherIsKept) {
  const RowId session = fill(a, 3);
  copy(a, b);
  must(must(Writer::open(b)).disqualify(session, sample_config(1), TrialStatus::wrong_result, "a second seed"));
  change(b, "UPDATE trials SET median_us = 0.1, recorded_at = '2001-01-01T00:00:00Z' WHERE id = 1");
  MergeReport report = merge(a, {b});
  ASSERT_EQ(report.conflicts.size(), 2U);
  EXPECT_EQ(report.conflicts[0].subject, sample_config(0));
  EXPECT_FALSE(report.conflicts[0].replaced) << "measured earlier";
  EXPECT_EQ(report.conflicts[1].subject, sample_config(1));
  EXPECT_TRUE(report.conflicts[1].replaced) << "found wrong after it was measured";
  EXPECT_EQ(report.conflicts[1].session, session);
  const auto trials = must(must(Reader::open(a)).trials(session));
  ASSERT_EQ(trials.size(), 3U);
  EXPECT_EQ(trials[0].trial.timing->median_us, 10.5);
  EXPECT_EQ(trials[1].trial.status, TrialStatus::wrong_result);
  EXPECT_EQ(trials[1].trial.timing->samples_us.size(), 3U);
  SQLite::Database db(a.string());
  const std::string kept = db.execAndGet("SELECT content FROM merge_conflicts ORDER BY id LIMIT 1").getString();
  EXPECT_THAT(kept, HasSubstr("\"median_us\":0.1"));
  EXPECT_THAT(kept, HasSubstr("\"us\":\"000018410000284100003441\"")) << "its samples, as little-endian float32";
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM merge_conflicts WHERE json_valid(content)").getInt(), 2);
  EXPECT_THAT(merge(a, {b}).conflicts, IsEmpty()) << "told once";
  EXPECT_EQ(count(a, "merge_conflicts"), 2);
}

TEST_F(MergeTest, WhatWasCountedLaterIsNoConflict) {
  const RowId session = fill(a, 2);
  std::filesystem::copy_file(a, b);
  const auto add = [&](const std::filesystem::path& file, const std::map<std::string, double>& counters) {
    must(must(Writer::open(file)).add(session, sample_config(1), {Profile{counters, "CUPTI 13.1", 1, false}, {}}));
  };
  add(a, {{"sm__cycles.avg", 13}, {"a.sum", 1}});
  add(b, {{"sm__cycles.avg", 14}, {"b.sum", 2}});
  change(a, "UPDATE profiles SET recorded_at = '2030-01-01T00:00:00Z' WHERE source = 'CUPTI 13.1'");
  for (const auto& inputs : {std::vector{a, b}, std::vector{b, a}}) {
    std::filesystem::remove(out);
    EXPECT_THAT(merge(out, inputs).conflicts, IsEmpty());
    const auto profile = must(must(Reader::open(out)).trials(1))[1].trial.profile;
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->counters,
              (std::map<std::string, double>{
                  {"sm__cycles.avg", 13}, {"a.sum", 1}, {"b.sum", 2}, {"dram__bytes_read.sum", 1e9}}));
    EXPECT_EQ(profile->source, "CUPTI 13.1");
  }
}

TEST_F(MergeTest, TheLaterSamplesStand) {
  const RowId session = fill(a, 2);
  std::filesystem::copy_file(a, b);
  must(must(Writer::open(a)).add(session, sample_config(0), {{}, {}, "only here"}));
  must(must(Writer::open(a)).add(session, sample_config(1), {{}, {}, "later"}));
  must(must(Writer::open(b)).add(session, sample_config(1), {{}, {}, "earlier"}));
  change(b, "UPDATE source_samples SET recorded_at = '2020-01-01T00:00:00Z'");
  for (const auto& inputs : {std::vector{a, b}, std::vector{b, a}}) {
    std::filesystem::remove(out);
    EXPECT_THAT(merge(out, inputs).conflicts, IsEmpty());
    EXPECT_EQ(must(must(Reader::open(out)).source_samples(1)),
              (std::map<std::string, std::string>{{sample_config(0), "only here"}, {sample_config(1), "later"}}));
  }
}

TEST_F(MergeTest, WhatWasCountedOutlivesAConflictOfTimes) {
  fill(a, 2);
  std::filesystem::copy_file(a, b);
  change(b, "DELETE FROM counters; DELETE FROM profiles; DELETE FROM power;"
            "UPDATE trials SET median_us = median_us + 1, recorded_at = '2030-01-01T00:00:00Z'");
  for (const auto& inputs : {std::vector{a, b}, std::vector{b, a}}) {
    std::filesystem::remove(out);
    EXPECT_EQ(merge(out, inputs).conflicts.size(), 2U);
    for (const TrialRow& row : must(must(Reader::open(out)).trials(1))) {
      EXPECT_EQ(row.trial.timing->median_us, sample_trial().timing->median_us + 1) << "the later";
      ASSERT_TRUE(row.trial.profile && row.trial.power);
      EXPECT_EQ(row.trial.profile->counters, sample_trial().profile->counters);
    }
  }
}

TEST_F(MergeTest, TheNewestDescriptionOfADeviceStands) {
  fill(a, 1);
  fill(b, 1);
  change(a, "UPDATE devices SET l2_bytes = 1, seen_at = '2030-01-01T00:00:00Z'");
  change(b, "UPDATE devices SET l2_bytes = 2, seen_at = '2020-01-01T00:00:00Z'; "
            "UPDATE peak_rates SET rate = 5 WHERE name = 'dram_read_gbs'; "
            "UPDATE peaks SET recorded_at = '2031-01-01T00:00:00Z'");
  const MergeReport report = merge(out, {a, b});
  ASSERT_EQ(report.conflicts.size(), 1U);
  EXPECT_EQ(report.conflicts[0].kind, "devices");
  const Reader reader = must(Reader::open(out));
  EXPECT_EQ(must(reader.devices())[0].limits.l2_bytes, 1);
  EXPECT_EQ(count(out, "peaks"), 2);
  EXPECT_EQ(must(reader.roofs("GPU-1234"))->dram_read_gbs, 5) << "the newest by date, not by row";
}

TEST_F(MergeTest, AnotherSourceIsAnotherKernelAndTheExistingRulePicksTheBest) {
  SessionIdentity changed = sample_identity();
  changed.source_hash = "def";
  fill(a, 2);
  fill(b, 2, changed);
  fill(c, 2);
  change(c, "UPDATE best SET median_us = 3, created_at = '2001-01-01T00:00:00Z'");
  EXPECT_EQ(merge(out, {a, b, c}).total().kernels_added, 2);
  EXPECT_EQ(count(out, "best"), 3);
  std::map<std::string, double> times;
  for (const BestRecord& best : must(must(Reader::open(out)).best())) times[best.source_hash] = best.median_us;
  EXPECT_EQ(times, (std::map<std::string, double>{{"abc", 3}, {"def", 10.5}}));
}

TEST_F(MergeTest, WhatVerifyFoundLaterJoinsItsResult) {
  const RowId session = fill(a, 2);
  copy(a, b);
  CheckRecord check;
  check.status = CheckStatus::holds;
  check.median_us = 10;
  check.checked_at = "2090-01-02T00:00:00Z";
  check.best = must(must(Reader::open(a)).best_of_session(session))->id;
  must(must(Writer::open(a)).put_check(check));
  check.status = CheckStatus::failed;
  check.evidence = "it hangs";
  check.checked_at = "2090-01-01T00:00:00Z";
  must(must(Writer::open(b)).put_check(check));
  EXPECT_EQ(merge(a, {b}).total().sessions_extended, 1);
  EXPECT_EQ(count(a, "best"), 1);
  EXPECT_EQ(count(a, "checks"), 2);
  const auto best = must(must(Reader::open(a)).best_of_session(session));
  EXPECT_EQ(best->last_check->status, CheckStatus::holds) << "the last by date, not by row";
  EXPECT_EQ(best->disqualified, "");
  EXPECT_EQ(merge(a, {b}).total().sessions_known, 1);
  EXPECT_EQ(count(a, "checks"), 2);
}

TEST_F(MergeTest, ASessionThatIsWorkedOnArrivesAsInterruptedWithANote) {
  const RowId session = fill(a, 2, sample_identity(), 0, SessionState::running);
  MergeOptions options;
  options.holder = [&](const fs::path& file, RowId id) {
    return file == a && id == session ? std::string("process 7") : std::string();
  };
  const MergeReport report = must(merge_databases(out, {a}, options));
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_THAT(report.notes[0], HasSubstr("process 7 is still working on session 1"));
  EXPECT_EQ(must(must(Reader::open(out)).sessions())[0].state, SessionState::interrupted);
}

TEST_F(MergeTest, TheStateOfASessionThatIsWorkedOnInTheOutputIsLeftAlone) {
  fill(out, 2, sample_identity(), 0, SessionState::running);
  copy(out, a);
  change(a, "UPDATE sessions SET state = 'finished'");
  MergeOptions options;
  options.holder = [&](const fs::path& file, RowId) { return file == out ? std::string("process 7") : std::string(); };
  must(merge_databases(out, {a}, options));
  EXPECT_EQ(must(must(Reader::open(out)).sessions())[0].state, SessionState::running);
}

TEST_F(MergeTest, ADryRunSaysTheSameAndWritesNothing) {
  fill(a, 2);
  fill(b, 3);
  EXPECT_EQ(must(merge_databases(out, {a, b}, {true, {}})).total().trials_added, 5);
  EXPECT_FALSE(fs::exists(out));
  merge(out, {a});
  const std::string bytes = read_text(out);
  EXPECT_EQ(must(merge_databases(out, {a, b}, {true, {}})).total().trials_added, 3);
  EXPECT_EQ(read_text(out), bytes);
}

TEST_F(MergeTest, TextsOfItsReportAreJsonWhateverTheyHold) {
  std::string text, wanted = "\"";
  for (int code = 0; code < 0x20; ++code) {
    text += static_cast<char>(code);
    wanted += fmt::format("\\u{:04x}", code);
  }
  EXPECT_EQ(db::json(text), wanted + "\"");
  EXPECT_EQ(db::json("a\"b\\c"), R"("a\"b\\c")");
}

TEST_F(MergeTest, EveryTableIsAPartOfARowThatIsMergedOrRecognisedByAKey) {
  fill(a, 1);
  SQLite::Database db(a.string());
  db::Rows rows(db);
  ASSERT_FALSE(rows.tables().empty());
  for (const auto& [name, table] : rows.tables()) {
    if (table.owner || name == "migrations" || name == "sessions") continue;
    EXPECT_FALSE(table.key.empty()) << name;
    EXPECT_LT(table.key.size(), table.columns.size()) << name << " has no UNIQUE key: merging would double its rows";
  }
}

} // namespace
} // namespace warptune
