// From a database to a pack: which configurations ship and which never do; and the same database gives the same bytes.
#include "pack/inspect.h"
#include "pack/pack.h"
#include "support/temp_dir.h"
#include "support/tuned_db.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using namespace test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

const std::string kSmall = TunedDb::config(64, 1), kWide = TunedDb::config(256, 4), kOther = TunedDb::config(256, 2);

struct Packing : testing::Test {
  TempDir dir;
  fs::path file = dir / "w.db", out = dir / "ops.wtpack";
  TunedDb db{file};
  PackOptions options;

  Packing() {
    options.version = "0.1";
    options.licence = "none";
    options.cubins.compile = false; // the database has every cubin
    options.extra_configs = 0;
    ::setenv("XDG_CACHE_HOME", (dir / "cache").c_str(), 1);
  }
  // Adds the cubin of every configuration, so that a missing one never hides a choice.
  void add_programs(const std::string& shape) {
    const Problem problem = TunedDb::value(make_problem(db.kernel().spec, shape, "fp32", {}));
    for (const int threads : {64, 128, 256})
      for (const int vec : {1, 2, 4}) db.put_program(problem, {threads, vec});
  }
  PackReport pack() {
    add_programs("rows=64,cols=1024"); // the suite's shape
    return TunedDb::value(make_pack(TunedDb::value(Reader::open(file)), out, options));
  }
  std::map<std::string, BestRecord> picks() const {
    std::map<std::string, BestRecord> by_problem;
    const Reader reader = TunedDb::value(Reader::open(out));
    for (BestRecord& best : TunedDb::value(reader.best()))
      by_problem[best.problem.substr(0, best.problem.find(';'))] = best;
    return by_problem;
  }
  std::vector<std::string> problems() const {
    return TunedDb::value(inspect_pack(TunedDb::value(Reader::open(out)))).problems;
  }
};

TEST_F(Packing, OneConfigurationServesTwoShapesWithinTheCover) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}, {kOther, 5.1}}, kWide);
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kWide, 6.1}, {kOther, 6}}, kOther);
  options.cover = 0.03;
  PackReport report = pack();
  ASSERT_EQ(report.rules.size(), 1U);
  EXPECT_EQ(report.rules[0].configs, 2); // the default and the winner
  EXPECT_EQ(report.rules[0].shapes, 2);
  EXPECT_NEAR(report.rules[0].worst_loss, 0.1 / 6, 1e-9);
  EXPECT_EQ(picks()["rows=1,cols=100"].config, picks()["rows=2,cols=100"].config);
  EXPECT_THAT(problems(), IsEmpty());

  options.cover = 0.01;
  report = pack();
  EXPECT_EQ(report.rules[0].configs, 3);
  EXPECT_EQ(report.rules[0].worst_loss, 0);
  EXPECT_EQ(picks()["rows=1,cols=100"].config, kWide);
  EXPECT_EQ(picks()["rows=2,cols=100"].config, kOther);
}

TEST_F(Packing, WhatWasNotCertifiedFasterDoesNotShip) {
  // Intervals of +-1 %: 9.9 is faster than 10, but not significantly.
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 9.9}}, kWide, false);
  const PackReport report = pack();
  const BestRecord pick = picks()["rows=1,cols=100"];
  EXPECT_EQ(pick.config, TunedDb::kDefault);
  EXPECT_FALSE(pick.certified);
  EXPECT_THAT(pick.outcome,
              HasSubstr("the pack uses the default, because " + kWide + " was not certified to be faster"));
  EXPECT_EQ(report.rules[0].guarded, 1);
  EXPECT_EQ(report.rules[0].configs, 1);
}

TEST_F(Packing, TheFinalsOrIntervalsThatLieApartCertify) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 9.9}}, kWide, true);
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kSmall, 9}}, kSmall, false);
  options.cover = 0.005;
  pack();
  EXPECT_EQ(picks()["rows=1,cols=100"].config, kWide);
  EXPECT_EQ(picks()["rows=1,cols=100"].outcome, "faster (p = 0.001)");
  EXPECT_EQ(picks()["rows=2,cols=100"].config, kSmall);
  EXPECT_THAT(picks()["rows=2,cols=100"].outcome, HasSubstr("1.11x faster than the default, with 95 % intervals"));
}

TEST_F(Packing, ProgramsAreFoundWhateverElseWasBuiltInTheirSession) {
  db.set_builders("; elsewhere: made by 1.0");
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  const PackReport report = pack();
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_EQ(picks()["rows=1,cols=100"].config, kWide);
  EXPECT_THAT(problems(), IsEmpty());
}

// Winners, covering neighbours, guarded defaults, and defaults that won: each has the roofline share of its own time.
TEST_F(Packing, TheRooflineShareIsThatOfWhatShips) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}, {kOther, 5.1}}, kWide);
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kWide, 6.1}, {kOther, 6}}, kOther);
  db.add("rows=3,cols=100", {{TunedDb::kDefault, 10}, {kSmall, 9.9}}, kSmall, false);
  db.add("rows=4,cols=100", {{TunedDb::kDefault, 8}, {kSmall, 9.9}}, TunedDb::kDefault, false);
  pack();
  const auto shipped = picks();
  ASSERT_EQ(shipped.size(), 4U);
  EXPECT_EQ(shipped.at("rows=1,cols=100").config, shipped.at("rows=2,cols=100").config) << "one of them is no winner";
  EXPECT_EQ(shipped.at("rows=3,cols=100").config, TunedDb::kDefault);
  for (const auto& [problem, best] : shipped) {
    EXPECT_GT(best.median_us, 0) << problem;
    EXPECT_DOUBLE_EQ(best.roofline_share, TunedDb::kFloorUs / best.median_us) << problem;
  }
}

TEST_F(Packing, WhatWasFoundWrongOnceNeverShips) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}, {kOther, 5.5}}, kWide);
  const RowId other = db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}, {kOther, 6}}, kOther);
  TunedDb::value(db.writer().disqualify(other, kWide, TrialStatus::wrong_result, "a race"));
  pack();
  EXPECT_EQ(picks()["rows=1,cols=100"].config, kOther);
  const Reader reader = TunedDb::value(Reader::open(out));
  for (const SessionRecord& session : TunedDb::value(reader.sessions()))
    for (const TrialRow& trial : TunedDb::value(reader.trials(session.id))) EXPECT_NE(trial.config, kWide);
}

// A configuration that is right at first and wrong later counts as wrong.
TEST_F(Packing, WhatWasUnstableOnceNeverShips) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}, {kOther, 5.5}}, kWide);
  const RowId other = db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}, {kOther, 6}}, kOther);
  TunedDb::value(db.writer().disqualify(other, kWide, TrialStatus::unstable, "after its last round"));
  pack();
  EXPECT_EQ(picks()["rows=1,cols=100"].config, kOther);
}

// Times with a warm L2 are not comparable with times with a cold L2, whichever are newer.
TEST_F(Packing, ColdTimesAreNotMixedWithWarmOnes) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  db.set_cold_l2(false);
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 4}, {kOther, 2}}, kOther);
  pack();
  const BestRecord pick = picks()["rows=1,cols=100"];
  EXPECT_EQ(pick.config, kWide);
  EXPECT_EQ(pick.median_us, 5);
  EXPECT_TRUE(pick.cold_l2);
  const Reader reader = TunedDb::value(Reader::open(out));
  for (const SessionRecord& session : TunedDb::value(reader.sessions()))
    for (const TrialRow& trial : TunedDb::value(reader.trials(session.id))) EXPECT_NE(trial.config, kOther);
}

// Early stopping dropped the trial after a few samples, so its median is not reliable.
TEST_F(Packing, TimesOfTrialsThatRacingDroppedDoNotCount) {
  const RowId session = db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  Trial dropped;
  dropped.config = TunedDb::value(parse_config(db.kernel().spec, kOther));
  dropped.status = TrialStatus::ok;
  dropped.timing = Timing{2, 1.98, 2.02, 1.9, 0.01, {}, true, false, 1980, 40, 300};
  TunedDb::value(db.writer().record(session, kOther, dropped));
  pack();
  EXPECT_EQ(picks()["rows=1,cols=100"].config, kWide);
}

TEST_F(Packing, OfTwoDevicesOfOneNameTheColdResultShips) {
  DeviceInfo twin = db.device();
  twin.uuid = "GPU-twin";
  TunedDb warm(file, db.kernel(), twin);
  warm.set_cold_l2(false);
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  warm.add("rows=1,cols=100", {{TunedDb::kDefault, 4}, {kOther, 2}}, kOther);
  warm.add("rows=2,cols=100", {{TunedDb::kDefault, 4}, {kOther, 2}}, kOther);
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  pack();
  for (const char* shape : {"rows=1,cols=100", "rows=2,cols=100"}) {
    EXPECT_EQ(picks()[shape].config, kWide) << shape;
    EXPECT_TRUE(picks()[shape].cold_l2) << shape;
  }
}

TEST_F(Packing, UntunedShapesThatCanBeLaunchedAreCounted) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  const PackReport report = pack();
  const auto listed = TunedDb::value(inspect_pack(TunedDb::value(Reader::open(out)))).variants;
  ASSERT_EQ(report.untuned.size(), 1U);
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_GT(report.untuned[0].probes, 0U);
  EXPECT_EQ(report.untuned[0].served, report.untuned[0].probes); // here the cubin does not depend on the shape
  EXPECT_EQ(listed[0].untuned.probes, report.untuned[0].probes);
  EXPECT_EQ(listed[0].untuned.served, report.untuned[0].served);
  EXPECT_EQ(listed[0].untuned.as_chosen, report.untuned[0].as_chosen);
}

TEST_F(Packing, MoreConfigurationsShipForOtherShapesWithTheirTimes) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}, {kOther, 5.1}}, kWide);
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kWide, 6.1}, {kOther, 6}}, kOther);
  EXPECT_EQ(pack().rules[0].configs, 2);
  options.extra_configs = 1;
  EXPECT_EQ(pack().rules[0].configs, 3);
  const Reader reader = TunedDb::value(Reader::open(out));
  EXPECT_EQ(TunedDb::value(reader.timings(db.kernel().spec, db.kernel().source_hash))[0].configs.size(), 3U);
  EXPECT_EQ(picks()["rows=1,cols=100"].config, picks()["rows=2,cols=100"].config); // the cover decides for these two
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(Packing, AGapCoversNothing) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kOther, 5}}, kOther);
  EXPECT_EQ(pack().rules[0].configs, 3);
}

TEST_F(Packing, TheTimesOfAllThatShipsAreThere) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}, {kOther, 7}, {kSmall, 20}}, kWide);
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kWide, 9}, {kOther, 5}, {kSmall, 20}}, kOther);
  pack();
  const Reader reader = TunedDb::value(Reader::open(out));
  const auto matrices = TunedDb::value(reader.timings(db.kernel().spec, db.kernel().source_hash));
  ASSERT_EQ(matrices.size(), 1U);
  EXPECT_EQ(matrices[0].problems.size(), 2U);
  EXPECT_EQ(matrices[0].configs.size(), 3U); // without kSmall
  EXPECT_THAT(matrices[0].us, testing::UnorderedElementsAre(10, 5, 7, 10, 9, 5));
  const auto rules = TunedDb::value(reader.pack_rules("scale"));
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_TRUE(parse_transfer(rules[0].rule)) << rules[0].rule;
  EXPECT_TRUE(rules[0].rule_loss.has_value());
}

// A trial that early stopping dropped is slow on that shape, and `explain` takes this into account; the estimate of a
// pack must do the same.
TEST_F(Packing, PromisesNoSmallerLossThanItsDatabase) {
  const auto given_up = [&](RowId session, double us) {
    Trial trial;
    trial.config = TunedDb::value(parse_config(db.kernel().spec, kWide));
    trial.index = 9;
    trial.status = TrialStatus::ok;
    trial.timing = Timing{us, us, us, us, 0.01, {}, true, false, 1980, 40, 300};
    TunedDb::value(db.writer().record(session, kWide, trial));
  };
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}, {kOther, 7}}, kWide);
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}, {kOther, 7}}, kWide);
  given_up(db.add("rows=4,cols=100", {{TunedDb::kDefault, 10}, {kOther, 7}}, kOther), 50);
  pack();
  const Kernel& kernel = db.kernel();
  const auto times = TunedDb::value(TunedDb::value(Reader::open(file)).timings(kernel.spec, kernel.source_hash));
  ASSERT_EQ(times.size(), 1U);
  const LossEstimate all = learn_transfer(kernel.spec, times[0], db.device()).leave_one_out;
  EXPECT_GT(all.worst, 5) << "50 us beside 7";
  const auto rules = TunedDb::value(TunedDb::value(Reader::open(out)).pack_rules("scale"));
  const auto packed = parse_transfer(rules.at(0).rule);
  ASSERT_TRUE(packed) << packed.error().message;
  EXPECT_EQ(packed->leave_one_out.shapes, all.shapes);
  EXPECT_GE(packed->leave_one_out.worst, all.worst * 0.999);
  EXPECT_GE(packed->leave_one_out.mean, all.mean * 0.999);
}

TEST_F(Packing, TheSameDatabaseGivesTheSameBytes) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kOther, 5}}, kOther, true, "fp16");
  pack();
  const std::string first = read_bytes(out);
  EXPECT_FALSE(first.empty());
  out = dir / "again.wtpack";
  pack();
  EXPECT_EQ(read_bytes(out) == first, true);
  EXPECT_THAT(
      TunedDb::value(diff_packs(TunedDb::value(Reader::open(dir / "ops.wtpack")), TunedDb::value(Reader::open(out)))),
      IsEmpty());
}

TEST_F(Packing, ADifferenceIsNamed) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  pack();
  out = dir / "new.wtpack";
  db.add("rows=2,cols=100", {{TunedDb::kDefault, 10}, {kOther, 5}}, kOther);
  pack();
  std::vector<std::string> subjects;
  for (const PackChange& change :
       TunedDb::value(diff_packs(TunedDb::value(Reader::open(dir / "ops.wtpack")), TunedDb::value(Reader::open(out)))))
    if (change.before.empty()) subjects.push_back(change.subject);
  EXPECT_THAT(subjects, Contains(HasSubstr("scale rows=2,cols=100;fp32")));
}

TEST_F(Packing, AMissingProgramIsSaid) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("DELETE FROM cubins");
  const PackReport report = TunedDb::value(make_pack(TunedDb::value(Reader::open(file)), out, options));
  EXPECT_THAT(report.notes, Contains(HasSubstr("neither in the database nor in the cache")));
  EXPECT_THAT(report.notes,
              Contains(HasSubstr("1 of 1 tuned shapes lack their cubin, and 100.0 % of untuned shapes have")));
  ASSERT_EQ(report.untuned.size(), 1U);
  EXPECT_EQ(report.untuned[0].served, 0U);
  EXPECT_THAT(problems(), Contains(HasSubstr("is not in the pack")));
}

TEST_F(Packing, BadInputIsOneSentence) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  const Reader reader = TunedDb::value(Reader::open(file));
  const auto error = [&](const fs::path& to) { return make_pack(reader, to, options).error().message; };
  EXPECT_THAT(error(file), HasSubstr("the file exists and is not a pack"));
  EXPECT_THAT(error(dir.path()), HasSubstr("this is a folder"));
  EXPECT_THAT(error("/dev/null"), HasSubstr("this is a pipe, a socket or a device"));
  options.kernels = {"scal"};
  EXPECT_THAT(error(out), HasSubstr("the database has no kernel 'scal'; did you mean 'scale'?"));
  options.kernels = {};
  options.gpus = {"sm_91"};
  EXPECT_THAT(error(out), HasSubstr("nothing was tuned on 'sm_91'"));
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(Packing, OnlyTheDevicesThatWereAskedFor) {
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {kWide, 5}}, kWide);
  options.gpus = {db.device().arch};
  EXPECT_EQ(pack().rules.size(), 1U);
  const Reader reader = TunedDb::value(Reader::open(out));
  const auto devices = TunedDb::value(reader.devices());
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].name, db.device().name);
  EXPECT_EQ(devices[0].limits.sm_count, db.device().limits.sm_count);
}

} // namespace
} // namespace warptune
