// Counters of other problems as features of the configurations of this one.
#include "search/counters.h"
#include "search/knowledge.h"
#include "support/spec_text.h"

#include <cmath>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using testing::problem_of;
using testing::SpecText;

constexpr std::size_t kL2 = 1, kTime = 4, kOccupancy = 5;

// VEC divides cols, which is 2 * 513.
class Counters : public ::testing::Test {
 protected:
  Counters() {
    device_.roofs = {};
    device_.roofs.dram_copy_gbs = 1000;
    device_.roofs.l2_gbs = 2000;
    cost_ = {5e5, 5e5, {}}; // the floor is 1 us
  }
  CountedDemand demand(double l2_bytes, double occupancy = 0.5) const {
    const double none = std::nan("");
    return {1, l2_bytes, none, none, occupancy};
  }
  CounterFeatures features(const std::vector<CountedElsewhere>& elsewhere) const {
    return {spec_, space_, cost_, device_, elsewhere};
  }
  std::vector<double> of(const CounterFeatures& known, const Config& config) const {
    std::vector<double> values(CounterFeatures::names().size());
    known.fill(space_.find(config).value(), values);
    return values;
  }

  KernelSpec spec_ = SpecText().parse();
  Problem problem_ = problem_of(spec_, "rows=64,cols=1026");
  DeviceInfo device_ = h200_device();
  SearchSpace space_ = SearchSpace::build(spec_, problem_, device_).value();
  CostEstimate cost_;
};

TEST_F(Counters, AreTimesOverTheFloor) {
  const CounterFeatures known = features({{1, {{"WARPS=4,VEC=2", demand(6)}}}});
  const auto values = of(known, {4, 2});
  EXPECT_DOUBLE_EQ(values[0], 1) << "the bytes of the caller, once: as long as the floor";
  EXPECT_DOUBLE_EQ(values[kL2], 2) << "6e6 bytes take 3 us";
  EXPECT_TRUE(std::isnan(values[2]) && std::isnan(values[3])) << "neither was counted";
  EXPECT_DOUBLE_EQ(values[kTime], 2) << "the slowest";
  EXPECT_DOUBLE_EQ(values[kOccupancy], 0.5);
  for (const double value : of(known, {4, 1})) EXPECT_TRUE(std::isnan(value)) << "another configuration";
}

TEST_F(Counters, TheSourceThatIsMostAlikeCounts) {
  const std::vector<CountedElsewhere> elsewhere{{0.2, {{"WARPS=4,VEC=2", demand(2)}, {"WARPS=8,VEC=2", demand(2)}}},
                                                {0.9, {{"WARPS=4,VEC=2", demand(6)}}}};
  const CounterFeatures known = features(elsewhere);
  EXPECT_EQ(known.counted(), 2U);
  EXPECT_DOUBLE_EQ(of(known, {4, 2})[kL2], 2);
  EXPECT_DOUBLE_EQ(of(known, {8, 2})[kL2], 1) << "known from the other one alone";
}

TEST_F(Counters, WhatIsNotOfThisSpaceIsLeftOut) {
  EXPECT_TRUE(features({{1, {{"WARPS=4,VEC=4", demand(2)}, {"OLD=1", demand(2)}, {"", demand(2)}}}}).empty());
  EXPECT_TRUE(features({}).empty());
  device_.roofs = {};
  EXPECT_TRUE(features({{1, {{"WARPS=4,VEC=2", demand(2)}}}}).empty()) << "without roofs there are no times";
}

TEST_F(Counters, StandAfterOtherFeatures) {
  Knowledge knowledge;
  const auto constant = [](double value) {
    return [value](ConfigIndex, std::span<double> out) { std::fill(out.begin(), out.end(), value); };
  };
  knowledge.add_features({"a", "b"}, constant(1));
  knowledge.add_features({"c"}, constant(2));
  EXPECT_EQ(knowledge.feature_names, (std::vector<std::string>{"a", "b", "c"}));
  std::vector<double> values(3);
  knowledge.features(0, values);
  EXPECT_EQ(values, (std::vector<double>{1, 1, 2}));
}

} // namespace
} // namespace warptune
