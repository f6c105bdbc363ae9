// The choice by expected time, for a problem of which nothing was measured.
#include "predict/expected_time.h"
#include "predict/select.h"
#include "predict/shortest_expected.h"
#include "space/space.h"
#include "spec/config.h"
#include "support/spec_text.h"

#include <cmath>
#include <gmock/gmock.h>
#include <set>

namespace warptune {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

KernelSpec spec_expecting(const std::string& expected) {
  return SpecText().set("format", "2").set("expected_us", expected).parse();
}

std::optional<ExpectedChoice> choice(const KernelSpec& spec, const Refuse& refuse,
                                     const std::string& shape = "rows=64,cols=1024") {
  const Problem problem = problem_of(spec, shape);
  return shortest_expected(spec, problem, h200_device(), refuse, default_config(spec, problem, h200_device()));
}
// A formula that gives `at_default` for the default (WARPS=4, VEC=2) and `elsewhere` for all other configurations.
std::string formula(const std::string& at_default, const std::string& elsewhere) {
  const std::string is_default = "max(0, 1 - max(WARPS - 4, 4 - WARPS) - max(VEC - 2, 2 - VEC))";
  return "\"" + elsewhere + " + (" + at_default + " - " + elsewhere + ") * " + is_default + "\"";
}
std::optional<std::string> nothing(const Config&) { return std::nullopt; }

TEST(ShortestExpected, IsTheShortestOfTheValidConfigurations) {
  const KernelSpec spec = spec_expecting("\"960.0 / WARPS / VEC\"");
  const auto found = choice(spec, nothing);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->config, (Config{8, 4}));
  EXPECT_NEAR(found->us, 960.0 / 32, 1e-9);
  EXPECT_NEAR(found->rival_us, 960.0 / 8, 1e-9);
  EXPECT_EQ(found->count, 12);
  EXPECT_EQ(choice(spec, nothing, "rows=64,cols=1026")->config, (Config{8, 2})) << "VEC=4 does not divide 1026";
}

TEST(ShortestExpected, TheNextOneIsChosenIfTheShortestIsRefused) {
  const auto found = choice(spec_expecting("\"960.0 / WARPS / VEC\""), [](const Config& config) {
    return config[0] == 8 ? std::optional<std::string>("no") : std::nullopt;
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->config, (Config{4, 4}));
  EXPECT_FALSE(choice(spec_expecting("7"), [](const Config&) { return std::optional<std::string>("no"); }));
}

TEST(ShortestExpected, TheDefaultIsKeptIfNoneIsMuchShorter) {
  EXPECT_EQ(choice(spec_expecting("100"), nothing)->config, (Config{4, 2}));
  EXPECT_EQ(choice(spec_expecting(formula("111", "100")), nothing)->config, (Config{4, 2}));
  EXPECT_NE(choice(spec_expecting(formula("112", "100")), nothing)->config, (Config{4, 2}));
  const auto refused = choice(spec_expecting("100"), [](const Config& config) {
    return config == Config{4, 2} ? std::optional<std::string>("no") : std::nullopt;
  });
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->config, (Config{4, 2}));
}

// The roofline model is less exact than a formula, so the difference must be larger.
TEST(ShortestExpected, TheDefaultIsKeptIfTheRooflineIsNotMuchShorter) {
  const KernelSpec spec = SpecText().parse();
  const Config standard = default_config(spec);
  std::set<bool> kept;
  for (int rows = 1; rows <= 1 << 22; rows *= 2) {
    const std::string shape = "rows=" + std::to_string(rows) + ",cols=1024";
    const TimeModel model(spec, problem_of(spec, shape), h200_device());
    const auto space = SearchSpace::build(spec, problem_of(spec, shape), h200_device()).value();
    double shortest = 1e300;
    for (ConfigIndex i = 0; i < space.size(); ++i)
      shortest = std::min(shortest, std::exp(model.expected_log_time(space.config(i))));
    const double share = shortest / std::exp(model.expected_log_time(standard));
    const bool keeps = share > 0.8;
    EXPECT_EQ(choice(spec, nothing, shape)->config == standard, keeps) << shape << ' ' << share;
    if (share < 0.99) kept.insert(keeps);
  }
  EXPECT_EQ(kept.size(), 2U) << "the shapes are on both sides of the limit";
}

TEST(ShortestExpected, TimesOfTheRooflineAreNotComparedWithTimesOfAFormula) {
  // Without a value of the formula, the roofline gives far less than 1 s.
  const KernelSpec spec = spec_expecting("\"1e6 / WARPS * max(0, 4 - VEC)\"");
  const auto found = choice(spec, nothing);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->config[0], 8);
  EXPECT_NE(found->config[1], 4);
}

TEST(ShortestExpected, TakesTheTheoreticalRoofsOfADeviceThatWasNotMeasured) {
  const KernelSpec spec = SpecText().parse();
  DeviceInfo device = h200_device();
  device.roofs = {};
  const Problem problem = problem_of(spec, "rows=65536,cols=1024");
  const Config standard = default_config(spec);
  EXPECT_TRUE(shortest_expected(spec, problem, device, nothing, standard));
  device.memory_clock_mhz = device.max_sm_clock_mhz = 0;
  EXPECT_FALSE(shortest_expected(spec, problem, device, nothing, standard)) << "no roof is known";
}

class SelectExpected : public ::testing::Test {
 protected:
  Selection chosen(const std::vector<TunedEntry>& entries, bool by_expected_time = true) {
    SelectOptions options;
    options.by_expected_time = by_expected_time;
    const auto selection = select(spec_, entries, problem_of(spec_, shape_), h200_device(), options);
    EXPECT_TRUE(selection) << selection.error().message;
    return selection ? *selection : Selection();
  }
  TunedEntry entry(const std::string& shape, Config config, const std::string& disqualified = {}) const {
    TunedEntry e;
    e.problem = problem_of(spec_, shape);
    e.config = std::move(config);
    e.device_name = "NVIDIA H200";
    e.arch = "sm_90a";
    e.disqualified = disqualified;
    return e;
  }
  KernelSpec spec_ = spec_expecting("\"960.0 / WARPS / VEC\"");
  std::string shape_ = "rows=64,cols=1024";
};

TEST_F(SelectExpected, OnlyIfItIsAllowedAndNoResultCanBeUsed) {
  const Selection found = chosen({});
  EXPECT_EQ(found.match, Match::expected_time);
  EXPECT_EQ(found.config, (Config{8, 4}));
  EXPECT_EQ(found.entry, -1);
  EXPECT_THAT(found.why, AllOf(HasSubstr("of 12 configurations (30 us; the default: 120 us)"),
                               HasSubstr("nothing was tuned for these sources of the kernel yet")));
  EXPECT_EQ(chosen({}, false).match, Match::fallback_default);
  EXPECT_EQ(chosen({entry("rows=64,cols=512", {8, 4})}).match, Match::nearest_shape);
  EXPECT_EQ(chosen({entry("rows=64,cols=1024", {1, 1})}).match, Match::exact);
}

TEST_F(SelectExpected, InsteadOfAResultForAnotherShapeThatIsMuchSlower) {
  const TunedEntry slow = entry("rows=64,cols=512", {4, 2});
  const Selection found = chosen({slow});
  EXPECT_EQ(found.match, Match::expected_time);
  EXPECT_EQ(found.config, (Config{8, 4}));
  EXPECT_EQ(found.runner_up, (Config{4, 2}));
  EXPECT_EQ(found.entry, -1);
  EXPECT_EQ(found.distance, 0);
  EXPECT_EQ(found.why,
            "the shortest expected time of 12 configurations (30 us); the choice by the rule 'nearest shape' "
            "is expected to take 120 us");
  EXPECT_EQ(chosen({slow}, false).match, Match::nearest_shape);

  TunedEntry elsewhere = slow;
  elsewhere.device_name = "NVIDIA H100 80GB HBM3";
  EXPECT_EQ(chosen({elsewhere}).match, Match::expected_time);
  EXPECT_EQ(chosen({elsewhere}, false).match, Match::other_device);

  spec_ = spec_expecting("\"32.0 - VEC\""); // 28 instead of 30 us: not much shorter
  EXPECT_EQ(chosen({slow}).match, Match::nearest_shape);
}

TEST_F(SelectExpected, ARooflineReplacesNoResult) {
  // No author's formula; one block has all the work, or each of 4096 blocks a part.
  spec_ = SpecText()
              .set("launches", R"json([{"kernel": "demo_kernel", "grid": ["VEC == 1 ? 1 : 4096"], "block": [256],
                                             "args": ["x", "y", "tmp", "cols", "alpha"]}])json")
              .parse();
  shape_ = "rows=65536,cols=1024";
  const Problem problem = problem_of(spec_, shape_);
  std::optional<Config> slow; // the roofline model expects another configuration to be much faster
  const SearchSpace space = *SearchSpace::build(spec_, problem, h200_device());
  for (ConfigIndex i = 0; i < space.size() && !slow; ++i) {
    const Config config = space.config(i);
    if (shortest_expected(spec_, problem, h200_device(), nothing, config)->config != config) slow = config;
  }
  ASSERT_TRUE(slow);
  EXPECT_EQ(chosen({entry("rows=64,cols=512", *slow)}).match, Match::nearest_shape);
}

TEST_F(SelectExpected, NeverAConfigurationThatACheckFoundWrong) {
  const Selection found = chosen({entry("rows=64,cols=1024", {8, 4}, "wrong")});
  EXPECT_EQ(found.match, Match::expected_time);
  EXPECT_NE(found.config, (Config{8, 4}));
}

TEST_F(SelectExpected, TheDefaultIsCalledTheDefault) {
  spec_ = spec_expecting(formula("1", "100"));
  const Selection found = chosen({});
  EXPECT_EQ(found.match, Match::fallback_default);
  EXPECT_EQ(found.config, (Config{4, 2}));
}

} // namespace
} // namespace warptune
