// Stored results checked again on a toy device with chosen faults: the findings, the stored checks, and the
// dispatcher's reaction.
#include "db/reader.h"
#include "db/tuned_entries.h"
#include "jit/compiler.h"
#include "predict/select.h"
#include "support/temp_dir.h"
#include "support/toy.h"
#include "tuner/recheck_rows.h"
#include "tuner/session.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <utility>

namespace warptune {
namespace {

using ::testing::HasSubstr;

constexpr const char* kWinner = "A=4,B=4,C=0";

struct Recheck : ::testing::Test {
  Recheck() {
    session_.worker_executable = test::program_dir() / "test_worker";
    session_.database = dir_ / "t.db";
    session_.cache_directory = dir_.path();
    session_.compile_workers = 2;
    session_.device = "toy:";
    options_.worker_executable = session_.worker_executable;
    options_.cache_directory = dir_.path();
    options_.device = "toy:";
    options_.evaluate_timeout_s = 20;
    tune();
    EXPECT_EQ(rows().at(0).config, kWinner);
  }

  SessionResult tune(const std::string& shape = "n=1048576") {
    auto result = run_session(
        kernel_, test::toy_problem(kernel_, shape), session_, [](const Progress&) {}, stop_);
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(SessionResult{});
  }
  std::vector<BestRecord> rows() { return *Reader::open(session_.database)->best(); }
  std::vector<CheckRecord> checks(RowId best) { return *Reader::open(session_.database)->checks(best); }
  RecheckRun look() {
    auto run = recheck_rows(
        rows(), session_.database, [this](const BestRecord&) { return source_now_; }, options_,
        [this](const RowReport& row) { after_row(row); }, stop_);
    EXPECT_TRUE(run) << run.error().message;
    return run ? *run : RecheckRun{};
  }
  // Checks the only row on a device with these faults.
  RowReport look_with(const std::string& faults) {
    options_.device = "toy:" + faults;
    const RecheckRun run = look();
    EXPECT_EQ(run.rows.size(), 1u);
    return run.rows.empty() ? RowReport{} : run.rows.front();
  }
  Selection dispatched() {
    const auto reader = Reader::open(session_.database);
    const auto entries = load_tuned_entries(*reader, kernel_.spec, kernel_.source_hash);
    auto selection = select(kernel_.spec, entries->entries, test::toy_problem(kernel_), test::toy_device());
    EXPECT_TRUE(selection);
    return selection.value_or(Selection{});
  }
  void change_row(const std::string& set) {
    SQLite::Database(session_.database.string(), SQLite::OPEN_READWRITE).exec("UPDATE best SET " + set);
  }

  std::function<void(const RowReport&)> after_row = [](const RowReport&) {};
  Kernel kernel_ = test::toy_kernel();
  std::string source_now_ = kernel_.source_hash;
  test::TempDir dir_;
  SessionOptions session_;
  RecheckOptions options_;
  std::atomic<bool> stop_{false};
};

TEST_F(Recheck, HoldsAndSaysSo) {
  const RowReport report = look_with("");
  EXPECT_EQ(report.check.status, CheckStatus::holds) << report.check.evidence;
  EXPECT_TRUE(report.is_fine());
  EXPECT_TRUE(report.marked);
  EXPECT_EQ(report.check.rounds, 5);
  EXPECT_GT(report.check.default_us, report.check.median_us);
  EXPECT_EQ(report.check.driver, "1.0");
  EXPECT_EQ(report.check.stale, "");
  EXPECT_THAT(dispatched().why, HasSubstr("; last re-checked 20"));
  EXPECT_EQ(dispatched().match, Match::exact);
}

TEST_F(Recheck, TimesThatMoved) {
  change_row("median_us = 30, ci_low_us = 29.9, ci_high_us = 30.1");
  const RowReport report = look_with("");
  EXPECT_EQ(report.check.status, CheckStatus::moved);
  EXPECT_FALSE(report.is_fine());
  EXPECT_THAT(report.check.evidence, HasSubstr("30 us then, 40.0"));
  EXPECT_EQ(dispatched().match, Match::exact) << "slower than it was is still the best there is";
  options_.tolerance = 0.5;
  EXPECT_EQ(look_with("").check.status, CheckStatus::holds);
}

TEST_F(Recheck, NoLongerFasterThanTheDefault) {
  const RowReport report = look_with(std::string("round/slow/") + kWinner);
  EXPECT_EQ(report.check.status, CheckStatus::slower_than_default);
  EXPECT_FALSE(report.is_fine());
  EXPECT_THAT(report.check.evidence, HasSubstr("no longer faster than the default, which takes 59"));
  EXPECT_THAT(dispatched().why, HasSubstr(": slower than default"));
}

// By either check: at the first launch, or with other data and shapes.
TEST_F(Recheck, WhatIsWrongIsGivenToNobody) {
  for (const std::string fault : {"evaluate/wrong/", "check/wrong/"}) {
    session_.database = dir_ / (fault.substr(0, 5) + ".db");
    tune();
    ASSERT_EQ(dispatched().match, Match::exact);
    const RowReport report = look_with(fault + kWinner);
    EXPECT_EQ(report.check.status, CheckStatus::wrong);
    EXPECT_EQ(report.check.rounds, 0) << "a wrong kernel is never timed";
    EXPECT_THAT(report.check.evidence, HasSubstr("wrong result: "));
    EXPECT_THAT(report.check.evidence, HasSubstr("expected 2"));
    const Selection s = dispatched();
    EXPECT_EQ(s.match, Match::fallback_default);
    EXPECT_NE(config_text(kernel_.spec, s.config), kWinner);
    EXPECT_THAT(s.why, HasSubstr("its results were wrong when re-checked on 20"));
  }
}

TEST_F(Recheck, AResumedSessionCertifiesAnotherInPlaceOfTheWrong) {
  look_with(std::string("check/wrong/") + kWinner);
  session_.resume = true;
  const SessionResult again = tune();
  EXPECT_EQ(again.measured, 0) << "only the finals are run again";
  EXPECT_EQ(again.best.config, "A=4,B=4,C=1");
  EXPECT_EQ(config_text(kernel_.spec, dispatched().config), "A=4,B=4,C=1");
}

TEST_F(Recheck, WhatFailsIsOutUntilItWorksAgain) {
  const std::string config = kWinner;
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"compile/fail/", "compile failed: kernel.cu(7): error"},
      {"compile/segv/", "crashed: "},
      {"evaluate/fatal/", "launch failed: illegal address"},
      {"evaluate/segv/", "signal 11"},
      {"check/segv/", "signal 11"},
      {"round/segv/", "signal 11"},
      {"round/error/", "launch failed: in the finals"}};
  for (const auto& [fault, evidence] : faults) {
    const RowReport report = look_with(fault + config);
    EXPECT_EQ(report.check.status, CheckStatus::failed) << fault;
    EXPECT_THAT(report.check.evidence, HasSubstr(evidence)) << fault;
    EXPECT_EQ(dispatched().match, Match::fallback_default) << fault;
  }
  EXPECT_EQ(look_with("").check.status, CheckStatus::holds);
  EXPECT_EQ(dispatched().match, Match::exact);
  EXPECT_EQ(checks(rows().at(0).id).size(), faults.size() + 1) << "every look is kept";
}

TEST_F(Recheck, ADefaultThatFailsIsNoFaultOfTheResult) {
  const RowReport report = look_with("compile/fail/A=1,B=1,C=0");
  EXPECT_EQ(report.check.status, CheckStatus::holds) << report.check.evidence;
  EXPECT_EQ(report.check.default_us, 0);
  EXPECT_THAT(report.check.evidence, HasSubstr("the default did not run"));
}

TEST_F(Recheck, AThrottlingDeviceTellsNothing) {
  const RowReport report = look_with("round/throttle");
  EXPECT_EQ(report.check.status, CheckStatus::not_timed);
  EXPECT_THAT(report.check.evidence, HasSubstr("throttled"));
  EXPECT_FALSE(report.marked) << "nothing was learnt";
}

TEST_F(Recheck, AtThePowerCapTheResultIsStillComparedWithTheDefault) {
  const RowReport report = look_with("round/power cap");
  EXPECT_EQ(report.check.status, CheckStatus::holds) << report.check.evidence;
  EXPECT_GT(report.check.rounds, 4);
}

TEST_F(Recheck, AnotherVersionOfALibraryMakesAResultStale) {
  EXPECT_EQ(look_with("device/library cublaslt 13.1").check.stale, "") << "which one it was then is not known";
  session_.device = "toy:device/library cublaslt 13.1";
  tune();
  EXPECT_EQ(look_with("device/library cublaslt 13.1").check.stale, "");
  EXPECT_EQ(look_with("device/library cublaslt 13.2").check.stale, "none; cublaslt 13.1 then, none; cublaslt 13.2 now");
}

TEST_F(Recheck, ADeviceThatCannotTakeTheProblemIsNoFaultOfTheResult) {
  const RowReport report = look_with("open/error");
  ASSERT_TRUE(report.error);
  EXPECT_THAT(report.error->message, HasSubstr("out of device memory"));
  EXPECT_FALSE(report.marked);
  EXPECT_FALSE(report.is_fine());
  EXPECT_EQ(dispatched().match, Match::exact);
}

TEST_F(Recheck, ABrokenContextDoesNotReachTheNextResult) {
  tune("n=4096");
  options_.device = std::string("toy:evaluate/once fatal/") + kWinner;
  const RecheckRun run = look();
  ASSERT_EQ(run.rows.size(), 2u);
  EXPECT_EQ(run.rows[0].check.status, CheckStatus::failed);
  EXPECT_EQ(run.rows[1].check.status, CheckStatus::holds);
}

TEST_F(Recheck, WhatChangedSinceIsKept) {
  SQLite::Database(session_.database.string(), SQLite::OPEN_READWRITE).exec("UPDATE toolchains SET driver = '0.9'");
  source_now_ = std::string(64, 'f');
  const RowReport report = look_with("");
  EXPECT_EQ(report.check.status, CheckStatus::holds) << "compiled from the sources it was tuned from";
  EXPECT_EQ(report.check.stale, "the kernel's sources changed; driver 0.9 then, 1.0 now");
  EXPECT_TRUE(report.is_fine());
  EXPECT_THAT(dispatched().why, HasSubstr("stale: the kernel's sources changed; driver 0.9 then, 1.0 now; last "
                                          "re-checked 20"));
}

TEST_F(Recheck, WithoutADeviceOnlyWhatChangedIsSaid) {
  options_.device.clear();
  EXPECT_EQ(look().rows.at(0).check.status, CheckStatus::not_timed);
  EXPECT_TRUE(checks(1).empty()) << "nothing is known, nothing is written";
  source_now_ = std::string(64, 'f');
  const RowReport report = look().rows.at(0);
  EXPECT_THAT(report.check.stale, HasSubstr("the kernel's sources changed"));
  EXPECT_FALSE(report.is_fine());
  EXPECT_TRUE(report.marked);
  EXPECT_THAT(rows().at(0).stale, HasSubstr("the kernel's sources changed"));
  EXPECT_EQ(rows().at(0).disqualified, "");
}

// A folder that was changed, checked, and restored: the stale mark is temporary.
TEST_F(Recheck, WhatALookWithoutADeviceFoundStaleALaterOneLifts) {
  EXPECT_EQ(look().rows.at(0).check.status, CheckStatus::holds);
  options_.device.clear();
  const std::string now = std::exchange(source_now_, std::string(64, 'f'));
  EXPECT_TRUE(look().rows.at(0).marked);
  EXPECT_THAT(rows().at(0).stale, HasSubstr("the kernel's sources changed"));
  source_now_ = now;
  const RowReport report = look().rows.at(0);
  EXPECT_TRUE(report.is_fine());
  EXPECT_TRUE(report.marked);
  EXPECT_EQ(rows().at(0).stale, "");
  EXPECT_EQ(rows().at(0).last_check->status, CheckStatus::holds) << "which is what a device found";
  const std::size_t before = checks(1).size();
  EXPECT_FALSE(look().rows.at(0).marked) << "there is nothing more to lift";
  EXPECT_EQ(checks(1).size(), before);
}

TEST_F(Recheck, WithoutADeviceTheCompilerOfAGpusResultIsComparedWithTheOneHere) {
  if (compiler_name().empty()) GTEST_SKIP() << "no NVRTC here";
  SQLite::Database(session_.database.string(), SQLite::OPEN_READWRITE).exec("UPDATE devices SET backend = 'cuda'");
  options_.device.clear();
  EXPECT_EQ(look().rows.at(0).check.stale, "none then, " + compiler_name() + " now");
}

TEST_F(Recheck, StoppedBetweenRowsKeepsWhatIsFinished) {
  tune("n=4096");
  tune("n=2048");
  after_row = [this](const RowReport&) { stop_ = true; };
  const auto all = rows();
  const RecheckRun run = look();
  EXPECT_TRUE(run.stopped);
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_EQ(checks(all[0].id).size(), 1u);
  EXPECT_TRUE(checks(all[1].id).empty());
}

TEST_F(Recheck, SourcesThatTheDatabaseLostAreTheRowsError) {
  SQLite::Database(session_.database.string(), SQLite::OPEN_READWRITE).exec("DELETE FROM kernel_files");
  const RowReport report = look_with("");
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, ErrorKind::database);
}

TEST_F(Recheck, AResultReplacedMeanwhileIsAnError) {
  const auto before = rows();
  SQLite::Database(session_.database.string(), SQLite::OPEN_READWRITE).exec("DELETE FROM best_ties; DELETE FROM best");
  const auto run = recheck_rows(
      before, session_.database, [](const BestRecord&) { return std::string(); }, options_, after_row, stop_);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::database);
  EXPECT_THAT(run.error().message, HasSubstr("no longer has the result 1"));
}

} // namespace
} // namespace warptune
