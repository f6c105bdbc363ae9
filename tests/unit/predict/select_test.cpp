#include "predict/roofline.h"
#include "predict/select.h"
#include "space/space.h"
#include "spec/config.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::problem_of;
using testing::SpecText;

class Select : public ::testing::Test {
 protected:
  TunedEntry entry(const std::string& shape, Config config, const std::string& device = "NVIDIA H200",
                   const std::string& dtype = "", const std::vector<std::string>& sets = {}) const {
    TunedEntry e;
    e.problem = problem_of(spec, shape, dtype, sets);
    e.config = std::move(config);
    e.device_name = device;
    e.arch = "sm_90a";
    return e;
  }
  Selection chosen(const std::vector<TunedEntry>& entries, const std::string& shape) const {
    const auto selection = select(spec, entries, problem_of(spec, shape), h200_device());
    EXPECT_TRUE(selection.has_value());
    return selection ? *selection : Selection();
  }
  KernelSpec spec = SpecText().parse();
};

TEST_F(Select, Exact) {
  const auto s = chosen({entry("rows=64,cols=64", {8, 1}), entry("rows=64,cols=128", {1, 1})}, "rows=64,cols=128");
  EXPECT_EQ(s.match, Match::exact);
  EXPECT_EQ(s.config, (Config{1, 1}));
  EXPECT_EQ(s.entry, 1);
  EXPECT_EQ(s.distance, 0);
  EXPECT_THAT(s.why, HasSubstr("exactly this problem on this device"));
}

TEST_F(Select, ExactPrefersTheCertifiedThenTheNewer) {
  std::vector<TunedEntry> entries = {entry("rows=64,cols=64", {1, 1}), entry("rows=64,cols=64", {2, 1}),
                                     entry("rows=64,cols=64", {8, 1})};
  entries[0].row_id = 5;
  entries[1].row_id = 3;
  entries[2].row_id = 9;
  EXPECT_EQ(chosen(entries, "rows=64,cols=64").entry, 2);
  entries[1].certified = true;
  EXPECT_EQ(chosen(entries, "rows=64,cols=64").entry, 1);
}

TEST_F(Select, NearestShape) {
  const auto s = chosen({entry("rows=64,cols=4096", {8, 1}), entry("rows=128,cols=1024", {1, 1})}, "rows=64,cols=1024");
  EXPECT_EQ(s.match, Match::nearest_shape);
  EXPECT_EQ(s.entry, 1);
  EXPECT_DOUBLE_EQ(s.distance, 1);
  EXPECT_THAT(s.why, HasSubstr("rows=128,cols=1024;bf16;log=0,layout=nt"));
  EXPECT_THAT(s.why, HasSubstr("(1.00)"));
  EXPECT_THAT(s.why, Not(HasSubstr("skipped")));
}

TEST_F(Select, NearerEntriesThatAreInvalidHereAreSkipped) {
  const auto s = chosen({entry("rows=64,cols=64", {8, 4}), entry("rows=64,cols=1024", {1, 1})}, "rows=64,cols=66");
  EXPECT_EQ(s.match, Match::nearest_shape);
  EXPECT_EQ(s.entry, 1);
  EXPECT_THAT(s.why, HasSubstr("passed over 1 nearer result"));
  EXPECT_THAT(s.why, HasSubstr("whole vectors"));
}

TEST_F(Select, AllInvalidHereIsSaidAsSuch) {
  const auto s = chosen({entry("rows=64,cols=64", {8, 4})}, "rows=64,cols=66");
  EXPECT_EQ(s.match, Match::fallback_default);
  EXPECT_THAT(s.why, HasSubstr("none of the 1 tuned configurations"));
  EXPECT_THAT(s.why, HasSubstr("whole vectors"));
}

TEST_F(Select, OtherDtypesAndFlagsDoNotCount) {
  const auto s = chosen({entry("rows=64,cols=64", {8, 1}, "NVIDIA H200", "fp32"),
                         entry("rows=64,cols=64", {8, 1}, "NVIDIA H200", "", {"log=1"})},
                        "rows=64,cols=64");
  EXPECT_EQ(s.match, Match::fallback_default);
  EXPECT_EQ(s.config, default_config(spec));
  EXPECT_THAT(s.why, HasSubstr("nothing was tuned for this dtype, these flags"));
}

TEST_F(Select, OtherDeviceOfTheSameArchitecture) {
  auto other = entry("rows=64,cols=64", {8, 1}, "NVIDIA GB300");
  other.arch = "sm_103a";
  const auto s = chosen({other, entry("rows=64,cols=128", {1, 1}, "NVIDIA H100")}, "rows=64,cols=64");
  EXPECT_EQ(s.match, Match::other_device);
  EXPECT_EQ(s.entry, 1);
  EXPECT_THAT(s.why, HasSubstr("on NVIDIA H100, another device of the same architecture sm_90a"));
  EXPECT_EQ(chosen({other}, "rows=64,cols=64").match, Match::fallback_default);
}

TEST_F(Select, AnotherDevicesResultThatIsInvalidHereIsSkipped) {
  const auto s =
      chosen({entry("rows=64,cols=64", {8, 4}, "NVIDIA H100"), entry("rows=64,cols=1024", {1, 1}, "NVIDIA H100")},
             "rows=64,cols=66");
  EXPECT_EQ(s.match, Match::other_device);
  EXPECT_EQ(s.entry, 1);
}

TEST_F(Select, ADisqualificationHoldsForItsArchitectureAlone) {
  auto wrong = entry("rows=64,cols=64", {8, 1}, "NVIDIA GB300");
  wrong.arch = "sm_103a";
  wrong.disqualified = "wrong";
  const auto s = chosen({wrong, entry("rows=64,cols=64", {8, 1})}, "rows=64,cols=64");
  EXPECT_EQ(s.match, Match::exact);
  EXPECT_EQ(s.config, (Config{8, 1}));
}

TEST_F(Select, WhatWasCertifiedForItsEnergyIsTakenThoughItIsSlower) {
  auto frugal = entry("rows=64,cols=64", {8, 1});
  frugal.speedup_over_default = 0.9;
  EXPECT_EQ(chosen({frugal}, "rows=64,cols=64").config, default_config(spec));
  frugal.certified = true;
  EXPECT_EQ(chosen({frugal}, "rows=64,cols=64").config, (Config{8, 1}));
}

TEST_F(Select, ThisDeviceBeforeANearerShapeOfAnother) {
  const auto s = chosen({entry("rows=64,cols=64", {8, 1}, "NVIDIA H100"), entry("rows=4096,cols=4096", {1, 1})},
                        "rows=64,cols=64");
  EXPECT_EQ(s.match, Match::nearest_shape);
  EXPECT_EQ(s.entry, 1);
}

TEST_F(Select, DefaultAndItsValidNeighbour) {
  EXPECT_THAT(chosen({}, "rows=1,cols=64").why, HasSubstr("nothing was tuned for these sources of the kernel yet"));
  // VEC=2 does not divide 7: the nearest valid configuration changes only VEC.
  const auto s = chosen({}, "rows=1,cols=7");
  EXPECT_EQ(s.match, Match::fallback_default);
  EXPECT_EQ(s.config, (Config{4, 1}));
  EXPECT_EQ(s.entry, -1);
  EXPECT_THAT(s.why, HasSubstr("nearest to the default (1 param changed)"));
}

TEST_F(Select, FarFromTheDefault) {
  SpecText text;
  text.set("constraints", R"([{"expr": "WARPS == 8 && VEC == 4", "why": "one only"}])");
  const KernelSpec one = text.parse();
  const auto s = select(one, {}, problem_of(one, "rows=1,cols=7"), h200_device());
  ASSERT_TRUE(s.has_value());
  EXPECT_EQ(s->config, (Config{8, 4}));
  EXPECT_THAT(s->why, HasSubstr("2 params changed"));
}

TEST_F(Select, NothingValidFails) {
  const KernelSpec none = SpecText().set("constraints", R"([{"expr": "rows > 5", "why": "tall only"}])").parse();
  const auto s = select(none, {}, problem_of(none, "rows=1,cols=7"), h200_device());
  ASSERT_FALSE(s.has_value());
  EXPECT_EQ(s.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(s.error().message, HasSubstr("tall only"));
}

TEST_F(Select, StaleEntriesAreNoTrap) {
  auto stale = entry("rows=64,cols=64", {3, 1}); // 3 is not a value any more
  auto short_one = entry("rows=64,cols=64", {1});
  auto other_dims = entry("rows=64,cols=64", {1, 1});
  other_dims.problem.dims = {64};
  EXPECT_EQ(chosen({stale, short_one, other_dims}, "rows=64,cols=64").match, Match::fallback_default);
}

TEST_F(Select, WhatACheckDisqualifiedIsNotChosen) {
  auto wrong = entry("rows=64,cols=64", {8, 1});
  wrong.disqualified = "its results were wrong when re-checked on 2026-01-02: y[5] is 9";
  const auto next = chosen({wrong, entry("rows=64,cols=128", {1, 1})}, "rows=64,cols=64");
  EXPECT_EQ(next.match, Match::nearest_shape);
  EXPECT_EQ(next.config, (Config{1, 1}));
  EXPECT_THAT(next.why,
              HasSubstr("passed over 1 disqualified result (rows=64,cols=64;bf16;log=0,layout=nt: its results "
                        "were wrong when re-checked on 2026-01-02: y[5] is 9)"));
  const auto alone = chosen({wrong}, "rows=64,cols=64");
  EXPECT_EQ(alone.match, Match::fallback_default);
  EXPECT_THAT(alone.why, HasSubstr("passed over 1 disqualified result"));
  EXPECT_THAT(chosen({wrong}, "rows=64,cols=32").why, HasSubstr("disqualified")) << "nor for a neighbour";
}

TEST_F(Select, NoOtherRuleBringsADisqualifiedConfigurationBack) {
  auto wrong = entry("rows=64,cols=64", {8, 1});
  wrong.disqualified = "wrong";
  const auto s =
      chosen({wrong, entry("rows=64,cols=66", {8, 1}), entry("rows=64,cols=4096", {2, 1})}, "rows=64,cols=64");
  EXPECT_EQ(s.config, (Config{2, 1})) << "the nearer neighbour has the configuration that is wrong here";
  auto wrong_default = entry("rows=64,cols=64", default_config(spec));
  wrong_default.disqualified = "wrong";
  const auto untuned = chosen({wrong_default}, "rows=64,cols=64");
  EXPECT_EQ(untuned.match, Match::fallback_default);
  EXPECT_NE(untuned.config, default_config(spec));
  EXPECT_EQ(chosen({wrong_default}, "rows=64,cols=128").config, default_config(spec)) << "another problem";
}

TEST_F(Select, EveryValidConfigurationDisqualifiedFails) {
  std::vector<TunedEntry> all;
  const auto problem = problem_of(spec, "rows=64,cols=64");
  const auto space = SearchSpace::build(spec, problem, h200_device());
  ASSERT_TRUE(space.has_value());
  for (ConfigIndex i = 0; i < space->size(); ++i) {
    all.push_back(entry("rows=64,cols=64", space->config(i)));
    all.back().disqualified = "wrong";
  }
  const auto s = select(spec, all, problem, h200_device());
  ASSERT_FALSE(s.has_value());
  EXPECT_EQ(s.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(s.error().message, HasSubstr("was wrong, failed, or cannot be launched here"));
}

TEST_F(Select, SaysHowTheChosenResultStands) {
  auto e = entry("rows=64,cols=64", {8, 1});
  e.standing = "stale: driver 580.1 then, 590.2 now";
  EXPECT_THAT(chosen({e}, "rows=64,cols=64").why, ::testing::EndsWith("; stale: driver 580.1 then, 590.2 now"));
  EXPECT_THAT(chosen({e}, "rows=64,cols=128").why, ::testing::EndsWith("; stale: driver 580.1 then, 590.2 now"));
}

TEST(MatchNames, AreDistinct) {
  EXPECT_EQ(match_name(Match::exact), "exact");
  EXPECT_EQ(match_name(Match::nearest_shape), "nearest shape");
  EXPECT_EQ(match_name(Match::other_device), "same architecture");
  EXPECT_EQ(match_name(Match::fallback_default), "default");
}

Roofs roofs() {
  Roofs r;
  r.dram_read_gbs = 4000;
  r.dram_copy_gbs = 2000;
  r.dram_write_gbs = 5000;
  r.fp32_tflops = 50;
  r.tensor_tflops = 1000;
  return r;
}

TEST(Roofline, MemoryBound) {
  const auto copy = roofline_point({1e9, 1e9, {}}, roofs(), 2000);
  EXPECT_DOUBLE_EQ(copy.floor_us, 1000);
  EXPECT_DOUBLE_EQ(copy.share, 0.5);
  EXPECT_DOUBLE_EQ(copy.gbs, 1000);
  EXPECT_EQ(copy.bound, "DRAM");
  EXPECT_DOUBLE_EQ(roofline_point({2e9, 0, {}}, roofs(), 1).floor_us, 500);
  EXPECT_DOUBLE_EQ(roofline_point({0, 2e9, {}}, roofs(), 1).floor_us, 400);
  // Between the measured mixes, the rate is linear: with a third written, it is two thirds of the way from 4000 to
  // 2000.
  EXPECT_NEAR(roofline_point({2e9, 1e9, {}}, roofs(), 1).floor_us, 3e9 / (4000 - 2000 * 2.0 / 3) * 1e-3, 1e-6);
  EXPECT_DOUBLE_EQ(roofline_point({1e9, 3e9, {}}, roofs(), 1).floor_us, 4e9 / 3500 * 1e-3);
  Roofs copy_only;
  copy_only.dram_copy_gbs = 2000;
  EXPECT_DOUBLE_EQ(roofline_point({2e9, 0, {}}, copy_only, 1).floor_us, 1000);
}

TEST(Roofline, ComputeBound) {
  const auto p = roofline_point({1e6, 1e6, {{"fp32", 1e11}}}, roofs(), 4000);
  EXPECT_EQ(p.bound, "fp32");
  EXPECT_DOUBLE_EQ(p.floor_us, 2000);
  EXPECT_DOUBLE_EQ(p.tflops, 25);
  EXPECT_DOUBLE_EQ(p.intensity, 5e4);
  EXPECT_DOUBLE_EQ(roofline_point({1, 1, {{"tensor", 1e12}}}, roofs(), 1).floor_us, 1000);
  EXPECT_DOUBLE_EQ(roofline_point({1, 1, {{"tensor fp8_e4m3", 1e12}}}, roofs(), 1).floor_us, 500);
  EXPECT_DOUBLE_EQ(roofline_point({1, 1, {{"tensor tf32", 1e12}}}, roofs(), 1).floor_us, 2000);
}

TEST(Roofline, UnknownRoofsAndTimes) {
  const auto p = roofline_point({1e9, 1e9, {{"fp32", 1e9}}}, Roofs(), 100);
  EXPECT_EQ(p.floor_us, 0);
  EXPECT_EQ(p.share, 0);
  EXPECT_GT(p.gbs, 0);
  EXPECT_EQ(roofline_point({0, 0, {}}, roofs(), 0).intensity, 0);
}

// A hundred params of a hundred values have 49 million pairs of changes; the caller is waiting for the answer.
TEST(SelectFallback, GivesUpInALargeSpaceWhereNothingMayBeLaunched) {
  std::string values = "[0",
              params = R"({"WARPS": {"values": [4], "default": 4}, "VEC": {"values": [2], "default": 2})";
  for (int v = 1; v < 100; ++v) values += "," + std::to_string(v);
  for (int p = 0; p < 8; ++p)
    params += ", \"P" + std::to_string(p) + R"(": {"values": )" + values + R"(], "default": 0})";
  const KernelSpec spec = SpecText().set("params", params + "}").parse();
  int asked = 0;
  SelectOptions options;
  options.refuse = [&](const Config&) {
    ++asked;
    return std::optional<std::string>("no program");
  };
  const auto selection = select(spec, {}, problem_of(spec, "rows=64,cols=64"), h200_device(), options);
  ASSERT_FALSE(selection);
  EXPECT_EQ(selection.error().kind, ErrorKind::no_candidate);
  EXPECT_LE(asked, 10000);
}

// A file without a compiler names the configurations that it has cubins of, because an application must not wait for a
// search.
TEST(SelectFallback, TriesOnlyTheOthersThatAreNamed) {
  const KernelSpec spec = SpecText().parse();
  const Problem problem = problem_of(spec, "rows=64,cols=64");
  const std::set<Config> others = {{1, 4}, {8, 2}};
  std::vector<Config> asked;
  SelectOptions options;
  options.others = &others;
  options.refuse = [&](const Config& config) {
    asked.push_back(config);
    return config == Config{8, 2} ? std::nullopt : std::optional<std::string>("no program");
  };
  const auto selection = select(spec, {}, problem, h200_device(), options);
  ASSERT_TRUE(selection) << selection.error().message;
  EXPECT_EQ(selection->config, (Config{8, 2}));
  EXPECT_THAT(selection->why, HasSubstr("the first valid configuration that has a cubin"));
  EXPECT_LE(asked.size(), 4U);

  const std::set<Config> none;
  options.others = &none;
  EXPECT_FALSE(select(spec, {}, problem, h200_device(), options));
}

} // namespace
} // namespace warptune
