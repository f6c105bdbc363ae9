// The expected times that a search gets, and their origin.
#include "support/implementations.h"
#include "tuner/gather_knowledge.h"

#include <cmath>
#include <gtest/gtest.h>

namespace warptune {
namespace {

// `fast` has an estimate, `plain` has none.
class TellModel : public ::testing::Test {
 protected:
  Knowledge told(const KnowledgeParts& parts, const DeviceInfo& device) {
    Knowledge out;
    tell_model(std::make_shared<const TimeModel>(spec_, problem_, device), space_, parts, out);
    return out;
  }

  const KernelSpec spec_ = [] {
    SourceFiles files = test::two_implementation_files();
    for (auto& [name, text] : files.files)
      if (name == "fast/implementation.json") text.insert(text.rfind('}'), R"(, "expected_us": "100.0 * VEC")");
    return parse_spec(files, "op/spec.json").value();
  }();
  const Problem problem_ = *make_problem(spec_, {64}, DType::fp32, {});
  const SearchSpace space_ = SearchSpace::build(spec_, problem_, h200_device()).value();
};

TEST_F(TellModel, OfEachConfigurationWhoseEstimateItIs) {
  const Knowledge all = told({}, h200_device()), prior = told({true, false}, h200_device());
  int by_author = 0, by_roofline = 0;
  for (ConfigIndex i = 0; i < space_.size(); ++i) {
    const Config config = space_.config(i);
    const bool fast = spec_.implementation(config).name == "fast";
    ++(fast ? by_author : by_roofline);
    EXPECT_EQ(all.expected_by_author(i), fast);
    EXPECT_EQ(prior.expected_by_author(i), fast);
    const double us = std::exp(all.expected_log_time(i));
    if (fast)
      EXPECT_NEAR(us, 100.0 * static_cast<double>(config[1]), 1e-6);
    else
      EXPECT_TRUE(us > 0 && us < 100) << us;
  }
  EXPECT_GT(by_author, 1);
  EXPECT_GT(by_roofline, 1);
}

TEST_F(TellModel, NothingWhereItIsNotWantedOrTheRooflineIsUnknown) {
  DeviceInfo blind = h200_device();
  blind.roofs = {};
  for (const Knowledge& none :
       {told({false, true}, h200_device()), told(kNothingKnown, h200_device()), told({}, blind)}) {
    EXPECT_FALSE(none.expected_log_time);
    EXPECT_FALSE(none.expected_by_author);
  }
}

} // namespace
} // namespace warptune
