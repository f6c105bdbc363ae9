// The results that shipped recordings give to a search.
#include "support/paths.h"
#include "support/shipped_store.h"
#include "support/temp_dir.h"
#include "tuner/gather_knowledge.h"
#include "tuner/recorded_results.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace warptune {
namespace {

class RecordedResults : public ::testing::Test {
 protected:
  RecordedResults() { ::unsetenv("WARPTUNE_RECORDINGS"); }
  ~RecordedResults() override { ::unsetenv("WARPTUNE_RECORDINGS"); }

  Knowledge gathered(const DeviceInfo& device, const KnowledgeParts& parts = {}) {
    SessionIdentity identity;
    identity.device_name = device.name;
    identity.arch = device.arch;
    identity.source_hash = kernel_.source_hash;
    return gather_knowledge({kernel_, problem_, device, space_, parts, identity, 0, folder_ / "none.db"}).knowledge;
  }

  test::TempDir folder_;
  Kernel kernel_ = test::shipped_store().load("softmax").value();
  Problem problem_ = make_problem(kernel_.spec, "rows=30000,cols=4096", "bf16", {}).value();
  SearchSpace space_ = SearchSpace::build(kernel_.spec, problem_, h200_device()).value();
  HintTarget here_{kernel_.spec, space_, problem_, "NVIDIA H200", "sm_90a", kernel_.source_hash, true, {}};
};

TEST_F(RecordedResults, TheMostSimilarComeFirstWithTheirFastestConfigurations) {
  const auto all = shipped_results(kernel_, here_, true, 100), two = shipped_results(kernel_, here_, true, 2);
  ASSERT_GE(all.size(), 8U);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(problem_key(kernel_.spec, two[0].problem), "rows=32768,cols=4096;bf16;log=0");
  EXPECT_EQ(two[0].device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(two[0].arch, "sm_90a");
  for (std::size_t i = 0; i < two.size(); ++i) EXPECT_EQ(two[i].problem, all[i].problem);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(likeness(all[i], here_), likeness(all[i - 1], here_));
  for (const TunedElsewhere& result : all) {
    ASSERT_EQ(result.good.size(), kGoodConfigs);
    EXPECT_EQ(result.good.front().relative_time, 1);
    EXPECT_TRUE(std::is_sorted(result.good.begin(), result.good.end(),
                               [](const auto& a, const auto& b) { return a.relative_time < b.relative_time; }));
  }
}

// Also a file of another kernel with the name of this one.
TEST_F(RecordedResults, FilesThatAreNotOfTheKernelAreLeftOut) {
  const auto recordings = test::share_dir() / "recordings";
  const auto copy = [&](const char* from, const char* to) {
    std::filesystem::copy_file(recordings / from, folder_ / to);
  };
  copy("softmax__rows_256_cols_4096__bf16.json", "softmax__good.json");
  copy("axpy__n_4194304__fp32.json", "softmax__axpy.json");
  std::ofstream(folder_ / "softmax__damaged.json") << "{";
  ::setenv("WARPTUNE_RECORDINGS", folder_.path().c_str(), 1);
  EXPECT_EQ(shipped_results(kernel_, here_, true, 100).size(), 1U);
  EXPECT_TRUE(shipped_results(test::shipped_store().load("axpy").value(), here_, true, 100).empty());
  ::setenv("WARPTUNE_RECORDINGS", (folder_ / "missing").c_str(), 1);
  EXPECT_TRUE(shipped_results(kernel_, here_, true, 100).empty());
}

// A fast configuration of the nearest recording is the first hint. A replayed recording must not reveal its own
// optimum.
TEST_F(RecordedResults, GiveHintsToSessionsOnAGpuOnly) {
  const DeviceInfo gpu = h200_device();
  const Knowledge known = gathered(gpu);
  ASSERT_FALSE(known.hints.empty());
  const TunedElsewhere nearest = shipped_results(kernel_, here_, true, 1).front();
  const auto is_good = [&](const TunedElsewhere::Good& good) {
    return space_.config(known.hints.front().index) == good.config;
  };
  EXPECT_TRUE(std::any_of(nearest.good.begin(), nearest.good.end(), is_good));
  DeviceInfo replayed = gpu;
  replayed.backend = "replay";
  EXPECT_TRUE(gathered(replayed).hints.empty());
  EXPECT_TRUE(gathered(gpu, {true, false}).hints.empty());
}

// The expected time is that on the recording's device, for the recording's problem.
TEST_F(RecordedResults, ComeWithTheirExpectedTimesIfTheseAreWanted) {
  const TunedElsewhere nearest = shipped_results(kernel_, here_, true, 1).front();
  const auto recording = load_recording(test::share_dir() / "recordings" / "softmax__rows_32768_cols_4096__bf16.json");
  ASSERT_TRUE(recording);
  const TimeModel model(kernel_.spec, nearest.problem, recording->device);
  for (const TunedElsewhere::Good& good : nearest.good)
    EXPECT_DOUBLE_EQ(good.expected_log_slowdown, model.expected_log_slowdown(good.config));
  EXPECT_NE(nearest.good.front().expected_log_slowdown, 0);
  for (const TunedElsewhere::Good& good : shipped_results(kernel_, here_, false, 1).front().good)
    EXPECT_EQ(good.expected_log_slowdown, 0);
}

} // namespace
} // namespace warptune
