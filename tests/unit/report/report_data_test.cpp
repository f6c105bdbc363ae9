// From a database to views: sessions, trials and bytes.
#include "predict/roofline.h"
#include "report/report_data.h"
#include "report/roofs_of_result.h"
#include "support/hashed_record.h"
#include "support/spec_text.h"
#include "unit/db/fixture.h"

#include <gmock/gmock.h>

namespace warptune::report {
namespace {

using namespace test;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

struct ReportData : ::testing::Test {
  TempDir dir;
  std::filesystem::path file = dir / "w.db";
  Writer writer = must(Writer::open(file));
  SessionIdentity identity = sample_identity();

  ReportData() {
    identity.kernel = "demo";
    identity.problem = "rows=64,cols=1024;bf16;log=0,layout=nt";
    const KernelRecord kernel = with_own_hash({0, "demo", "", {{"spec.json", warptune::testing::SpecText().text()}}});
    identity.source_hash = kernel.source_hash;
    must(writer.put_kernel(kernel));
    DeviceInfo device = sample_device();
    device.roofs.dram_read_gbs = device.roofs.dram_copy_gbs = device.roofs.dram_write_gbs = 4000;
    device.roofs.l2_gbs = 8000;
    device.roofs.measured = true;
    must(writer.put_device(device));
    must(writer.put_roofs(device, device.roofs));
  }

  static std::string config(int warps) { return "WARPS=" + std::to_string(warps) + ",VEC=2"; }
  static Trial trial(int warps, double us) {
    Trial t = sample_trial();
    t.config = {warps, 2};
    t.index = warps;
    t.profile.reset();
    t.power.reset();
    t.timing->median_us = us;
    return t;
  }
  // Adds a session with WARPS 1, 2, 4, each 10 us slower than the previous one; the first wins.
  RowId tuned(double first_us, bool with_best = true) {
    const RowId session = must(writer.begin_session(identity, 12, "0.1.0"));
    for (int i = 0; i < 3; ++i) must(writer.record(session, config(1 << i), trial(1 << i, first_us + 10 * i)));
    if (with_best) {
      BestRecord best;
      best.session = session;
      best.config = config(1);
      best.default_config = config(4);
      best.median_us = best.ci_low_us = best.ci_high_us = first_us;
      best.tie_set = {config(1)};
      best.certified = true;
      best.bound = "DRAM";
      must(writer.put_best(best));
    }
    must(writer.end_session(session, SessionState::finished));
    return session;
  }
  Result<std::vector<View>> load(const Selection& selection) {
    const Reader reader = must(Reader::open(file));
    return load_views(reader, selection, left_out);
  }
  std::string error_of(const Selection& selection) {
    const auto views = load(selection);
    EXPECT_FALSE(views);
    return views ? std::string() : views.error().message;
  }
  std::int64_t left_out = 0;
};

TEST_F(ReportData, AViewHoldsTheSessionOfTheBestResult) {
  tuned(30);
  const RowId good = tuned(20);
  tuned(25);
  const std::vector<View> views = must(load({}));
  ASSERT_EQ(views.size(), 1U);
  const View& v = views[0];
  EXPECT_EQ(v.session.id, good);
  EXPECT_EQ(v.points.size(), 3U);
  EXPECT_EQ(v.best_point, 0);
  EXPECT_EQ(v.default_point, 2);
  EXPECT_EQ(v.params.size(), 2U);
  EXPECT_EQ(v.params[0].name, "WARPS");
  EXPECT_EQ(v.summary, "a kernel for tests");
  ASSERT_TRUE(v.cost);
  EXPECT_EQ(v.cost->bytes_read, 64 * 1024 * 2);
  ASSERT_TRUE(v.bound);
  EXPECT_EQ(v.bound->source, "model");
  EXPECT_THAT(v.notes, Contains(HasSubstr("nothing was counted")));
  EXPECT_THAT(v.notes, Contains(HasSubstr("3 of 12 configurations were tried")));
}

TEST_F(ReportData, TheSessionsOwnBaselineIsShownBesideTheWinner) {
  BestRecord best;
  best.session = tuned(20);
  best.config = config(1);
  best.median_us = 20;
  best.baseline = "implementation=cublaslt,RANK=2";
  best.baseline_us = 21;
  best.rounds = {{20, 40, 21, {1410, 60, 695, 4}}, {20, 40, 21, {1980, 60, 600, 0}}};
  must(writer.put_best(best));
  const View v = must(load({})).at(0);
  ASSERT_EQ(v.baselines.size(), 1U);
  EXPECT_EQ(v.baselines[0].name, "cublaslt");
  EXPECT_EQ(v.baselines[0].median_us, 21);
  EXPECT_THAT(v.baselines[0].source, HasSubstr("the winner is 1.05x the speed of cublaslt"));
  EXPECT_THAT(v.notes, Contains("the board was at its power cap in the finals, SM clock 1410 to 1980 MHz"));
  EXPECT_THAT(v.baselines[0].source, HasSubstr(", interleaved with the winner in the finals"));
  best.config = best.baseline;
  must(writer.put_best(best));
  EXPECT_TRUE(must(load({})).at(0).baselines.empty()) << "it is the winner";
}

TEST_F(ReportData, NothingOfAReplayedSessionWasInterleaved) {
  identity.device_backend = "replay";
  BestRecord best;
  best.session = tuned(20, false);
  best.config = config(2);
  best.median_us = 25;
  best.baseline = "implementation=cublaslt,RANK=2";
  best.baseline_us = 26;
  for (const bool is_tie : {false, true}) {
    best.tie_set = is_tie ? std::vector{config(1), config(2)} : std::vector{config(2)};
    must(writer.put_best(best));
    const View v = must(load({})).at(0);
    ASSERT_EQ(v.baselines.size(), 1U);
    EXPECT_THAT(v.baselines[0].source, HasSubstr("by recorded samples, which were not interleaved, in the finals"));
    EXPECT_THAT(v.notes, Contains(AllOf(HasSubstr("fastest in the search"), HasSubstr("not interleaved"))));
  }
}

TEST_F(ReportData, AFastestTrialThatIsNotTheWinnerIsExplained) {
  const RowId session = tuned(20, false);
  BestRecord best;
  best.session = session;
  best.config = config(2);
  best.median_us = 25;
  best.tie_set = {config(1), config(2)};
  must(writer.put_best(best));
  const View tie = must(load({})).at(0);
  EXPECT_EQ(tie.best_point, 1);
  EXPECT_EQ(tie.fastest_point, 0);
  EXPECT_THAT(tie.notes,
              Contains(AllOf(HasSubstr("not the trial that was fastest in the search (WARPS=1,VEC=2 with 20"),
                             HasSubstr("compared both again, interleaved, and could not distinguish them"))));
  best.tie_set = {config(2)};
  must(writer.put_best(best));
  EXPECT_THAT(must(load({})).at(0).notes, Contains(HasSubstr("a single measurement may be fast by chance")));
  best.config = config(1);
  must(writer.put_best(best));
  EXPECT_THAT(must(load({})).at(0).notes, Each(Not(HasSubstr("fastest in the search"))));
}

TEST_F(ReportData, BytesComeFromCountersWhereThereAreSome) {
  const RowId session = must(writer.begin_session(identity, 12, "0.1.0"));
  Trial counted = trial(1, 20);
  counted.profile = Profile{
      {{"dram__bytes_read.sum", 3e5}, {"dram__bytes_write.sum", 1e5}}, "CUPTI 13.0", 1, counted.timing->cold_l2};
  must(writer.record(session, config(1), counted));
  must(writer.record(session, config(2), trial(2, 30)));
  const std::vector<View> views = must(load({}));
  const View& v = views.at(0);
  EXPECT_EQ(v.points[0].at(Level::dram).origin, Origin::measured);
  EXPECT_EQ(v.points[0].at(Level::dram).bytes, 4e5);
  EXPECT_NEAR(v.points[0].at(Level::dram).gbs, 20, 1e-9);
  EXPECT_EQ(v.points[1].at(Level::dram).origin, Origin::model);
  EXPECT_EQ(v.points[1].at(Level::dram).bytes, 2 * 64 * 1024 * 2);
  EXPECT_GT(v.points[1].at(Level::dram).intensity, 0);
  EXPECT_EQ(v.points[1].at(Level::l2).origin, Origin::none);
  EXPECT_THAT(v.notes, Contains(HasSubstr("counters were read for 1 configuration; for the others")));
  EXPECT_FALSE(v.bound) << "no winner yet";
  EXPECT_THAT(v.notes, Contains(HasSubstr("there is no winner")));
}

// Counters with a warm cache do not apply to a time with a cold one.
TEST_F(ReportData, CountersOfTheOtherCacheAreNotUsed) {
  const RowId session = must(writer.begin_session(identity, 12, "0.1.0"));
  Trial counted = trial(1, 20);
  counted.profile = Profile{
      {{"dram__bytes_read.sum", 3e5}, {"dram__bytes_write.sum", 1e5}}, "CUPTI 13.0", 1, !counted.timing->cold_l2};
  must(writer.record(session, config(1), counted));
  const std::vector<View> views = must(load({}));
  EXPECT_EQ(views.at(0).points.at(0).at(Level::dram).origin, Origin::model);
}

// Tuning another kernel may measure the device's roofs again.
TEST_F(ReportData, AResultKeepsTheRoofsOfItsSession) {
  const RowId session = tuned(20, false);
  BestRecord best;
  best.session = session;
  best.config = best.default_config = config(1);
  best.median_us = best.ci_low_us = best.ci_high_us = 20;
  best.tie_set = {best.config};
  best.certified = true;
  const double bytes = 2 * 64 * 1024 * 2;
  best.bound = "DRAM";
  best.roofline_share = bytes / (4000 * 1e3) / 20;
  must(writer.put_best(best));
  DeviceInfo device = sample_device();
  device.roofs.dram_read_gbs = device.roofs.dram_copy_gbs = device.roofs.dram_write_gbs = 2000;
  device.roofs.measured = true;
  device.roofs.measured_at = "2999-01-01T00:00:00Z";
  must(writer.put_roofs(device, device.roofs));
  const View kept = must(load({})).at(0);
  EXPECT_EQ(kept.roof_gbs(Level::dram), 4000);
  EXPECT_THAT(kept.notes, Not(Contains(HasSubstr("newer than the result"))));
  tuned(20, true); // the share fits no stored roofs, so the roofs of this session are not known
  const RowId other = tuned(19, true);
  Selection of_other;
  of_other.session = other;
  EXPECT_EQ(must(load(of_other)).at(0).roof_gbs(Level::dram), 2000) << "the newest";
}

// When the times of a replayed session were measured.
TEST(MeasuredAt, IsTheTimeOfTheRecordingIfItIsKnown) {
  SessionRecord session;
  session.started_at = "2026-01-02T00:00:00Z";
  session.identity.device_backend = "cuda";
  EXPECT_EQ(measured_at(session, {}, {}), session.started_at);
  session.identity.device_backend = "replay";
  const std::string before = "2025-01-01T00:00:00Z", after = "2026-01-02T00:00:01Z";
  EXPECT_EQ(measured_at(session, {before, before}, {}), before);
  EXPECT_EQ(measured_at(session, {before, "2025-02-01T00:00:00Z"}, {}), "") << "two recordings";
  // Older versions stored the time of the replay with the trials.
  ResultRoofs roofs;
  roofs.roofs.measured_at = before;
  EXPECT_EQ(measured_at(session, {after, after}, {}), "");
  EXPECT_EQ(measured_at(session, {after, after}, roofs), "") << "other roofs fit, too";
  roofs.certain = true;
  EXPECT_EQ(measured_at(session, {after, after}, roofs), before);
  roofs.roofs.measured_at = after;
  EXPECT_EQ(measured_at(session, {after, after}, roofs), "");
}

TEST(RoofsOfResult, AreCertainIfNoneOfAnotherTimeFit) {
  CostEstimate cost;
  cost.bytes_read = 1e9;
  Roofs slow, fast;
  slow.dram_read_gbs = slow.dram_copy_gbs = slow.dram_write_gbs = 2000;
  fast.dram_read_gbs = fast.dram_copy_gbs = fast.dram_write_gbs = 4000;
  slow.measured_at = "2025-01-01T00:00:00Z", fast.measured_at = "2025-01-02T00:00:00Z";
  BestRecord best;
  best.median_us = 1000;
  const RooflinePoint point = roofline_point(cost, slow, best.median_us);
  best.bound = point.bound, best.roofline_share = point.share;
  const auto own = roofs_of_result({fast, slow}, best, cost);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->roofs.dram_read_gbs, 2000);
  EXPECT_TRUE(own->certain);
  Roofs again = slow;
  again.measured_at = "2025-01-03T00:00:00Z";
  const auto either = roofs_of_result({again, fast, slow}, best, cost);
  ASSERT_TRUE(either);
  EXPECT_EQ(either->roofs.measured_at, again.measured_at) << "the newest";
  EXPECT_FALSE(either->certain);
  EXPECT_FALSE(roofs_of_result({fast}, best, cost));
}

TEST_F(ReportData, SharedMemoryIsStaticAndDynamic) {
  tuned(20);
  const View v = must(load({})).at(0);
  for (std::size_t i = 0; i < v.points.size(); ++i)
    EXPECT_EQ(v.points[i].shared_bytes, v.points[i].trial.resources.static_shared_bytes + 128 * (1 << i)) << i;
}

TEST_F(ReportData, RoofsSayWhatIsRelevant) {
  tuned(20);
  const View v = must(load({})).at(0);
  ASSERT_FALSE(v.roofs.empty());
  EXPECT_EQ(v.roofs[0].id, "dram_mix");
  EXPECT_TRUE(v.roofs[0].relevant);
  EXPECT_EQ(v.roofs[0].measured, 4000);
  for (const Roof& roof : v.roofs) EXPECT_FALSE(roof.relevant && roof.level == "L2") << "nothing is known of the L2";
  EXPECT_EQ(v.roof_gbs(Level::dram), 4000);
  EXPECT_EQ(v.roof_gbs(Level::l2), 0);
}

TEST_F(ReportData, ASessionIsShownWhenItIsNamed) {
  const RowId slow = tuned(30);
  tuned(20);
  Selection selection;
  selection.session = slow;
  EXPECT_EQ(must(load(selection)).at(0).session.id, slow);
  selection.session = 99;
  EXPECT_THAT(error_of(selection), HasSubstr("there is no session 99"));
}

TEST_F(ReportData, SelectionNamesWhatIsNearest) {
  tuned(20);
  identity.kernel = "other";
  must(writer.put_kernel({0, "other", identity.source_hash, {{"spec.json", "{"}}}));
  identity.problem = "n=4;fp32";
  tuned(40);
  EXPECT_EQ(must(load({})).size(), 2U);
  EXPECT_EQ(must(load({"demo", "", "", 0, 50})).size(), 1U);
  EXPECT_EQ(must(load({"", "n=4;fp32", "", 0, 50})).at(0).kernel, "other");
  EXPECT_EQ(must(load({"", "", "nvidia te", 0, 50})).size(), 2U);
  EXPECT_THAT(error_of({"demi", "", "", 0, 50}), HasSubstr("no results of 'demi'; did you mean 'demo'?"));
  EXPECT_THAT(error_of({"other", "n=5;fp32", "", 0, 50}), HasSubstr("did you mean 'n=4;fp32'?"));
  EXPECT_THAT(error_of({"", "", "H100", 0, 50}), HasSubstr("no results from a device 'H100'"));
}

TEST_F(ReportData, AKernelWhoseSpecCannotBeReadIsShownWithoutAModel) {
  identity.kernel = "other";
  must(writer.put_kernel({0, "other", identity.source_hash, {{"spec.json", "{"}}}));
  tuned(20);
  const View v = must(load({})).at(0);
  EXPECT_FALSE(v.cost);
  ASSERT_EQ(v.params.size(), 2U);
  EXPECT_EQ(v.params[0].name, "WARPS");
  EXPECT_EQ(v.params[0].values, (std::vector<std::int64_t>{1, 2, 4}));
  EXPECT_THAT(v.notes, Contains(HasSubstr("description cannot be used")));
  EXPECT_EQ(v.points[0].at(Level::dram).origin, Origin::none);
}

TEST_F(ReportData, TheNewestWithinTheLimit) {
  for (const char* problem : {"rows=1,cols=2;bf16;log=0,layout=nt", "rows=2,cols=2;bf16;log=0;layout=nt",
                              "rows=3,cols=2;bf16;log=0,layout=nt"}) {
    identity.problem = problem;
    tuned(20);
  }
  const std::vector<View> views = must(load({"", "", "", 0, 2}));
  EXPECT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0].problem.substr(0, 6), "rows=3");
  EXPECT_EQ(left_out, 1);
  EXPECT_EQ(must(load({"", "", "", 0, 0})).size(), 3U);
  EXPECT_EQ(left_out, 0);
}

TEST_F(ReportData, NothingToReport) {
  EXPECT_THAT(error_of({}), HasSubstr("has no sessions yet"));
  must(writer.begin_session(identity, 12, "0.1.0"));
  EXPECT_THAT(error_of({}), HasSubstr("nothing to report: 1 session without trials"));
}

} // namespace
} // namespace warptune::report
