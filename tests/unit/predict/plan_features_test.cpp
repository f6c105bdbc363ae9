#include "predict/expected_time.h"
#include "support/spec_text.h"

#include <cmath>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::problem_of;
using testing::SpecText;

constexpr const char* kShape = "rows=6400,cols=1024";

double feature(const SpecText& text, const std::string& name, const Config& config) {
  const KernelSpec spec = text.parse();
  const Problem problem = problem_of(spec, kShape);
  const DeviceInfo device = h200_device();
  const PlanFeatures features(spec, problem, device);
  const auto& names = features.names();
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  std::vector<double> values(names.size(), -7);
  features.fill(config, values);
  return values[static_cast<std::size_t>(found - names.begin())];
}

std::optional<PlanFigures> figures(const SpecText& text, const Config& config) {
  const KernelSpec spec = text.parse();
  const Problem problem = problem_of(spec, kShape);
  const DeviceInfo device = h200_device();
  return PlanFeatures(spec, problem, device).figures(config);
}

// 6400 rows, one row per warp; WARPS * 128 bytes of shared memory; a workspace of WARPS floats for each row.
TEST(PlanFeatures, OfOneLaunchByHand) {
  const auto f = figures(SpecText(), {4, 2});
  ASSERT_TRUE(f);
  EXPECT_EQ(f->threads, 128);
  EXPECT_EQ(f->blocks, 1600);
  EXPECT_EQ(f->shared_bytes, 512);
  EXPECT_EQ(f->cluster, 1);
  EXPECT_EQ(f->blocks_per_sm, 16) << "of 2048 threads";
  EXPECT_EQ(f->occupancy, 1);
  EXPECT_DOUBLE_EQ(f->waves, 1600.0 / (16 * 132));
  EXPECT_DOUBLE_EQ(f->tail, 1 - 1600.0 / (16 * 132)) << "of a single wave";
  EXPECT_EQ(f->launches, 1);
  EXPECT_EQ(f->workspace_bytes, 4 * 6400 * 4);
  EXPECT_EQ(f->repeated_bytes, 0);
}

TEST(PlanFeatures, ColumnsAreLogarithmsAndDerivedNamesFollow) {
  const SpecText text;
  EXPECT_EQ(feature(text, "block threads", {8, 1}), 8);
  EXPECT_DOUBLE_EQ(feature(text, "blocks", {8, 1}), std::log2(800));
  EXPECT_DOUBLE_EQ(feature(text, "bytes of a thread", {4, 1}), std::log2(1 + 2.0 * 6400 * 1024 * 2 / (1600 * 128)));
  EXPECT_DOUBLE_EQ(feature(text, "operations of a thread", {4, 1}), std::log2(1 + 5.0 * 6400 * 1024 / (1600 * 128)));
  EXPECT_DOUBLE_EQ(feature(text, "threads", {2, 1}), std::log2(65)) << "a derived name";
  const KernelSpec spec =
      SpecText().set("derived", R"({"threads": "WARPS * warp_size", "all": "rows * cols"})").parse();
  const Problem problem = problem_of(spec, kShape);
  const DeviceInfo device = h200_device();
  const PlanFeatures features(spec, problem, device);
  EXPECT_THAT(features.names(), ::testing::Not(::testing::Contains("all"))) << "the same for every configuration";
}

TEST(PlanFeatures, TheLargestLaunchIsDescribedAndSharedMemoryLimits) {
  SpecText text;
  text.set("launches", R"json([
    {"kernel": "first", "grid": [7], "block": [32], "args": ["x"]},
    {"kernel": "demo", "grid": ["rows", 2], "block": ["threads"], "shared": "100000", "cluster": [1, 2], "args": ["x", "y"]},
    {"kernel": "last", "when": "VEC == 4", "grid": [1], "block": [32], "args": ["y", "tmp"]}])json");
  const auto two = figures(text, {1, 2}), three = figures(text, {1, 4});
  ASSERT_TRUE(two && three);
  EXPECT_EQ(two->launches, 2);
  EXPECT_EQ(two->blocks, 12800);
  EXPECT_EQ(two->cluster, 2);
  EXPECT_EQ(two->blocks_per_sm, 2) << "100 kB of 228";
  EXPECT_EQ(two->occupancy, 2.0 / 64);
  EXPECT_EQ(two->workspace_bytes, 0) << "no launch that takes place uses it";
  EXPECT_EQ(two->repeated_bytes, 6400 * 1024 * 2) << "x";
  EXPECT_EQ(three->launches, 3);
  EXPECT_EQ(three->workspace_bytes, 6400 * 4);
  EXPECT_EQ(three->repeated_bytes, 2 * 6400 * 1024 * 2) << "x and y, without the workspace";
  const double places = 2 * 132;
  EXPECT_DOUBLE_EQ(two->tail, 1 - 12800 / places / std::ceil(12800 / places));
}

TEST(PlanFeatures, TheLaunchWithTheCallersDataIsDescribedHoweverManyThreadsAnotherHas) {
  SpecText text;
  text.set("launches", R"json([
    {"kernel": "demo", "grid": [4], "block": [32], "args": ["x", "tmp"]},
    {"kernel": "last", "grid": [1000], "block": [64], "args": ["tmp"]}])json");
  const auto described = figures(text, {1, 4});
  ASSERT_TRUE(described);
  EXPECT_EQ(described->blocks, 4);
  EXPECT_EQ(described->threads, 32);
  EXPECT_EQ(described->launches, 2);
  EXPECT_EQ(described->workspace_bytes, 6400 * 4);
  EXPECT_EQ(described->repeated_bytes, 0) << "both launches receive the workspace, but it is not the caller's";
}

TEST(PlanFeatures, WhatCannotBeSaidIsNoNumber) {
  SpecText text;
  text.set("launches",
           R"json([{"kernel": "demo", "grid": ["rows / (VEC - 1)"], "block": ["threads * 16"], "args": ["x"]}])json");
  EXPECT_FALSE(figures(text, {1, 1})) << "division by zero";
  EXPECT_TRUE(std::isnan(feature(text, "blocks", {1, 1})));
  EXPECT_DOUBLE_EQ(feature(text, "threads", {1, 1}), std::log2(33)) << "derived names stand on their own";
  const auto f = figures(text, {4, 2}); // 2048 threads a block
  ASSERT_TRUE(f);
  EXPECT_EQ(f->waves, 0);
  text.set("launches",
           R"json([{"kernel": "demo", "when": "VEC == 1", "grid": [1], "block": [32], "args": ["x"]}])json");
  EXPECT_FALSE(figures(text, {1, 2})) << "no launch takes place";
}

DeviceInfo device_of_100() {
  DeviceInfo device = h200_device();
  device.limits.sm_count = 100;
  device.max_sm_clock_mhz = 2000;
  device.roofs = {};
  device.roofs.dram_read_gbs = device.roofs.dram_copy_gbs = device.roofs.dram_write_gbs = 1000;
  device.roofs.fp32_tflops = 10;
  return device;
}

PlanFigures full_house() {
  PlanFigures f;
  f.threads = 1024, f.blocks = 200, f.blocks_per_sm = 2, f.occupancy = 1, f.waves = 1, f.launches = 1;
  return f;
}

TEST(ExpectedTime, OfACopyByHand) {
  const CostEstimate copy{5e8, 5e8, {}}; // 1000 us
  // Each multiprocessor receives 8000 bytes in 0.8 us, and 2048 threads request 32 bytes each.
  const double slowdown = std::hypot(1, 8000.0 / 65536);
  const auto us = expected_us(full_house(), copy, device_of_100());
  ASSERT_TRUE(us);
  EXPECT_NEAR(*us, 1000 * slowdown * 1.05 + 0.5, 1e-6) << "the start of 200 blocks is hidden";
}

// 2000 blocks start in a microsecond, and a twelfth of them if they are blocks of clusters. The larger of the times for
// starts and for memory decides.
TEST(ExpectedTime, ManySmallBlocksTakeTimeToStart) {
  DeviceInfo device = device_of_100();
  PlanFigures f = full_house();
  f.threads = 32, f.blocks_per_sm = 32, f.shared_bytes = 8192, f.blocks = 4e6, f.waves = f.blocks / 3200;
  const double rest = f.waves / 32; // of the time from a block's start to its first access
  const auto us = [&](double bytes) { return *expected_us(f, {bytes, 0, {}}, device) - rest; };
  EXPECT_NEAR(us(1e8), 2000, 1);
  EXPECT_GT(us(1e9), 2000) << "reading takes half as long";
  EXPECT_LT(us(1e9), 1.1 * 2000);
  EXPECT_NEAR(us(2e10) / 20000, 1, 0.1) << "and now ten times as long";
  f.cluster = 2;
  EXPECT_NEAR(us(1e8), 12 * 2000, 1);
  device.max_sm_clock_mhz = 0; // not known: 1700
  EXPECT_NEAR(us(1e8), 12 * 4e6 / 1700, 1);
}

TEST(ExpectedTime, FurtherLaunchesTakeTimeAndReadAgain) {
  const CostEstimate copy{5e8, 5e8, {}};
  const DeviceInfo device = device_of_100();
  const PlanFigures one = full_house();
  PlanFigures three = one;
  three.launches = 3;
  EXPECT_NEAR(*expected_us(three, copy, device), *expected_us(one, copy, device) + 2 * 1.5, 1e-6);
  three.repeated_bytes = 1e9;
  EXPECT_GT(*expected_us(three, copy, device), 1.9 * *expected_us(one, copy, device)) << "twice the bytes";
}

TEST(ExpectedTime, RanksWhatADeviceWouldRank) {
  const DeviceInfo device = device_of_100();
  const CostEstimate copy{5e8, 5e8, {}}, multiply{1e6, 4e6, {{"fp32", 1e10}}};
  const PlanFigures full = full_house();
  PlanFigures few = full;
  few.threads = 32;
  EXPECT_GT(*expected_us(few, copy, device), 1.2 * *expected_us(full, copy, device)) << "too little in flight";
  PlanFigures staged = few;
  staged.shared_bytes = 65536;
  EXPECT_LT(*expected_us(staged, copy, device), *expected_us(few, copy, device))
      << "shared memory holds more in flight";
  PlanFigures one_more = full;
  one_more.blocks = 201;
  one_more.waves = 2.01 / 2;
  EXPECT_GT(*expected_us(one_more, multiply, device), 1.4 * *expected_us(full, multiply, device)) << "one more wave";
  PlanFigures workspace = full;
  workspace.workspace_bytes = 5e8;
  EXPECT_GT(*expected_us(workspace, copy, device), 1.9 * *expected_us(full, copy, device)) << "twice the bytes";
  PlanFigures wide = full;
  wide.threads = 256, wide.blocks = 100, wide.waves = 0.5; // 39 results per thread; `full` has 2
  EXPECT_LT(*expected_us(wide, multiply, device), *expected_us(full, multiply, device)) << "operands are used again";
}

TEST(ExpectedTime, NothingIsSaidWithoutRoofsOrWaves) {
  DeviceInfo device = device_of_100();
  const CostEstimate copy{5e8, 5e8, {}};
  PlanFigures none = full_house();
  none.waves = 0;
  EXPECT_FALSE(expected_us(none, copy, device));
  device.roofs = {};
  EXPECT_FALSE(expected_us(full_house(), copy, device));
  const KernelSpec spec = SpecText().parse();
  const Problem problem = problem_of(spec, kShape);
  const TimeModel blind(spec, problem, device), model(spec, problem, device_of_100());
  EXPECT_FALSE(blind.knows_times());
  EXPECT_TRUE(std::isnan(blind.expected_log_time({4, 2})));
  ASSERT_TRUE(model.knows_times());
  const double floor_us = 2.0 * 6400 * 1024 * 2 / 1000e3;
  EXPECT_GT(model.expected_log_slowdown({4, 2}), 0);
  EXPECT_NEAR(model.expected_log_time({4, 2}) - model.expected_log_slowdown({4, 2}), std::log(floor_us), 1e-9);
}

} // namespace
} // namespace warptune
