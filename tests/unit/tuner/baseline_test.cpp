#include "spec/spec_json.h"
#include "support/toy.h"
#include "tuner/baseline.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Trial timed(double us, TrialStatus status = TrialStatus::ok) {
  Trial t;
  t.status = status;
  if (us > 0) t.timing.emplace().median_us = us;
  return t;
}

TEST(Baseline, AreTheConfigurationsThatCallLibraries) {
  const Kernel kernel = test::toy_kernel("duplicate");
  const auto space = SearchSpace::build(kernel.spec, test::toy_problem(kernel), test::toy_device());
  ASSERT_TRUE(space);
  std::vector<std::string> texts;
  for (const ConfigIndex index : find_baselines(kernel.spec, *space))
    texts.push_back(config_text(kernel.spec, space->config(index)));
  EXPECT_THAT(texts, ::testing::IsSupersetOf({std::string("implementation=copy")}));
  for (const std::string& text : texts) EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("=plain")));
}

TEST(Baseline, OfAnImplementationWithManyTheFirstAreTaken) {
  Kernel kernel = test::toy_kernel("duplicate");
  std::string values = "1";
  for (int value = 2; value <= 40; ++value) values += ", " + std::to_string(value);
  for (auto& [name, text] : kernel.sources.files)
    if (name == "cleared/implementation.json") text.replace(text.find("4, 6"), 4, values);
  kernel.spec = parse_spec(kernel.sources, "duplicate/spec.json").value();
  const auto space = SearchSpace::build(kernel.spec, test::toy_problem(kernel), test::toy_device());
  ASSERT_TRUE(space);
  std::vector<std::string> cleared, others;
  for (const ConfigIndex index : find_baselines(kernel.spec, *space)) {
    const std::string text = config_text(kernel.spec, space->config(index));
    (text.starts_with("implementation=cleared") ? cleared : others).push_back(text);
  }
  EXPECT_THAT(others, ::testing::Contains("implementation=copy")) << "each implementation has its own first ones";
  ASSERT_THAT(cleared, SizeIs(kMaxBaselines));
  EXPECT_EQ(cleared.front(), "implementation=cleared,B=1");
  EXPECT_EQ(cleared.back(), "implementation=cleared,B=32");
}

TEST(Baseline, TheFirstAndTheFastestOfEachImplementationAreFinalists) {
  const KernelSpec spec = test::toy_kernel("duplicate").spec;
  const auto trial = [&](const char* config, double us, TrialStatus status = TrialStatus::ok) {
    Trial made = timed(us, status);
    made.config = parse_config(spec, config).value();
    return made;
  };
  const TrialBook book{
      {1, trial("implementation=plain,A=1,B=1", 10)}, {5, trial("implementation=cleared,B=4", 30)},
      {6, trial("implementation=cleared,B=6", 20)},   {7, trial("implementation=copy", 15, TrialStatus::wrong_result)},
      {8, trial("implementation=copy", 0)},           {9, trial("implementation=copy", 40)}};
  const std::vector<ConfigIndex> baselines = {5, 6, 7, 8, 9, 10};
  std::vector<ConfigIndex> finalists = {1};
  add_baselines(finalists, book, spec, baselines);
  EXPECT_THAT(finalists, ::testing::UnorderedElementsAre(1, 5, 6, 9)) << "only the correct ones, and those that ran";
  add_baselines(finalists, book, spec, baselines);
  EXPECT_THAT(finalists, SizeIs(4)) << "once";
  finalists = {1, 9};
  add_baselines(finalists, book, spec, std::vector<ConfigIndex>{7, 6, 5, 9});
  EXPECT_THAT(finalists, ElementsAre(1, 9, 6)) << "the first one was wrong";
  add_baselines(finalists, book, spec, {});
  EXPECT_THAT(finalists, SizeIs(3));
}

TEST(Baseline, LibraryCallsDoNotTakeAllPlacesInTheFinals) {
  const KernelSpec spec = test::toy_kernel("duplicate").spec;
  const auto trial = [&](const char* config, double us, bool complete = true) {
    Trial made = timed(us);
    made.config = parse_config(spec, config).value();
    made.timing->complete = complete;
    return made;
  };
  TrialBook book{{0, trial("implementation=plain,A=1,B=1", 40)},
                 {1, trial("implementation=plain,A=4,B=4", 30)},
                 {2, trial("implementation=plain,A=8,B=3", 20)},
                 {3, trial("implementation=plain,A=2,B=4", 10, false)},
                 {4, trial("implementation=copy", 15)}};
  std::vector<ConfigIndex> finalists = {4, 0};
  add_without_calls(finalists, book, spec);
  EXPECT_THAT(finalists, ElementsAre(4, 0, 2)) << "the fastest that was timed to the end";
  add_without_calls(finalists, book, spec);
  EXPECT_THAT(finalists, SizeIs(3)) << "once";
  std::vector<ConfigIndex> kernels = {1, 0};
  add_without_calls(kernels, book, spec);
  EXPECT_THAT(kernels, SizeIs(2)) << "no library call could win";
}

TEST(Baseline, IsComparedByTheFinals) {
  const Kernel kernel = test::toy_kernel("duplicate");
  std::vector<Finalist> finalists(3);
  for (std::size_t i = 0; i < 3; ++i) {
    finalists[i].index = static_cast<ConfigIndex>(i);
    finalists[i].config = default_config(kernel.spec, i);
    finalists[i].explored_us = 50;
    finalists[i].samples_us = {20.0f, 21.0f, 22.0f};
  }
  finalists[2].samples_us.clear();
  const std::vector<ConfigIndex> baselines = {1, 2};
  EXPECT_EQ(fastest_baseline(finalists, baselines), &finalists[1]);
  finalists[1].explored_us = 60;
  finalists[2].samples_us = {23.0f, 24.0f, 25.0f};
  EXPECT_EQ(fastest_baseline(finalists, baselines), &finalists[1]) << "though the other explored faster";
  finalists[2].samples_us.clear();
  EXPECT_EQ(compare_with_baseline("implementation=copy", 21, 14.0),
            "1.500x the speed of implementation=copy (21.0 us)");
  EXPECT_EQ(compare_with_kernel("implementation=plain,A=1", 16, 14.0),
            "the fastest configuration without library calls has 0.875x its speed (16.0 us): implementation=plain,A=1");
  finalists[1].status = TrialStatus::wrong_result;
  EXPECT_EQ(fastest_baseline(finalists, baselines), &finalists[2]) << "by the exploration";
  EXPECT_EQ(fastest_baseline(finalists, {}), nullptr);
}

TEST(Baseline, TheFastestKernelIsTheFastestThatCallsNothing) {
  std::vector<Finalist> finalists(4);
  for (std::size_t i = 0; i < 4; ++i) finalists[i].explored_us = 10 + static_cast<double>(i);
  finalists[0].calls = "driver.copy";
  finalists[1].status = TrialStatus::wrong_result;
  std::swap(finalists[2].explored_us, finalists[3].explored_us);
  EXPECT_EQ(fastest_without_calls(finalists), &finalists[3]);
  finalists[2].calls = finalists[3].calls = "driver.copy";
  EXPECT_EQ(fastest_without_calls(finalists), nullptr);
}

} // namespace
} // namespace warptune
