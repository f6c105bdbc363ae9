#include "support/spec_text.h"
#include "unit/db/fixture.h"

#include <algorithm>
#include <cmath>

namespace warptune {
namespace {

using namespace test;
using ::testing::ElementsAre;

struct TimingsTest : ::testing::Test {
  TempDir dir;
  std::filesystem::path file = dir / "w.db";
  Writer writer = must(Writer::open(file));
  KernelSpec spec = testing::SpecText().parse();

  RowId begin(const std::string& problem, bool cold = true, const std::string& device = "NVIDIA Test") {
    SessionIdentity identity = sample_identity();
    identity.kernel = spec.name;
    identity.problem = problem;
    identity.device_name = device;
    identity.cold_l2 = cold;
    identity.seed = ++seed;
    return must(writer.begin_session(identity, 10, "0.1.0"));
  }
  void time(RowId session, const std::string& config, double us, TrialStatus status = TrialStatus::ok) {
    Trial trial = sample_trial();
    trial.status = status;
    trial.timing->median_us = us;
    must(writer.record(session, config, trial));
  }
  std::vector<TimingMatrix> timings(const std::string& hash = "abc") {
    return must(must(Reader::open(file)).timings(spec, hash));
  }

  std::uint64_t seed = 0;
};

TEST_F(TimingsTest, AMatrixForEachDeviceDtypeAndFlags) {
  const RowId first = begin("rows=64,cols=64;bf16;log=0,layout=nt");
  time(first, "WARPS=1,VEC=2", 5);
  time(first, "WARPS=2,VEC=2", 6);
  time(first, "WARPS=4,VEC=2", 1, TrialStatus::wrong_result);
  const RowId second = begin("rows=32,cols=64;bf16;log=0,layout=nt");
  time(second, "WARPS=2,VEC=2", 4);
  time(begin("rows=64,cols=64;fp32;log=0,layout=nt"), "WARPS=8,VEC=1", 9);
  time(begin("rows=64,cols=64;bf16;log=0,layout=nt", true, "another"), "WARPS=8,VEC=1", 8);
  const auto all = timings();
  ASSERT_EQ(all.size(), 3U);
  const auto found = std::find_if(all.begin(), all.end(), [](const TimingMatrix& m) { return m.problems.size() == 2; });
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->device_name, "NVIDIA Test");
  EXPECT_EQ(found->arch, "sm_90a");
  EXPECT_THAT(found->configs, ElementsAre(Config{1, 2}, Config{2, 2}));
  EXPECT_EQ(found->problems[0].dims, (Shape{32, 64}));
  EXPECT_TRUE(std::isnan(found->at(0, 0)));
  EXPECT_EQ(found->at(0, 1), 4);
  EXPECT_EQ(found->at(1, 0), 5);
  EXPECT_EQ(found->at(1, 1), 6);
  EXPECT_TRUE(timings("another hash").empty());
  EXPECT_EQ(timings("").size(), 3U);
}

TEST_F(TimingsTest, ColdTimesStandAloneAndTheLaterSessionsStand) {
  const std::string problem = "rows=64,cols=64;bf16;log=0,layout=nt";
  time(begin(problem, false), "WARPS=4,VEC=2", 1);
  ASSERT_EQ(timings().size(), 1U);
  EXPECT_EQ(timings()[0].at(0, 0), 1) << "warm ones where there are no others";
  time(begin(problem), "WARPS=1,VEC=2", 5);
  time(begin(problem), "WARPS=1,VEC=2", 7);
  time(begin(problem, false), "WARPS=2,VEC=2", 1);
  const auto all = timings();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].configs, ElementsAre(Config{1, 2}));
  EXPECT_EQ(all[0].at(0, 0), 7);
}

TEST_F(TimingsTest, RowsThatTheSpecCannotReadAreSkipped) {
  const RowId session = begin("rows=64,cols=64;bf16;log=0,layout=nt");
  time(session, "WARPS=1,VEC=2", 5);
  time(session, "OTHER=1", 5);
  time(session, "WARPS=2,VEC=2", 0);
  time(begin("depth=3;bf16"), "WARPS=1,VEC=2", 5);
  const Reader reader = must(Reader::open(file));
  const auto all = must(reader.timings(spec, ""));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].configs, ElementsAre(Config{1, 2}));
  EXPECT_EQ(reader.skipped_rows(), 3);
}

} // namespace
} // namespace warptune
