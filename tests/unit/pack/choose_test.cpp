// The packed choices for an operator with configurations that call libraries: a shape with such a pick gets a second
// pick for applications that do not allow it; other shapes do not.
#include "pack/choose.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::size_t kStandard = 0, kKernel = 1, kCall = 2;

MeasuredVariant variant_of_three() {
  MeasuredVariant variant;
  variant.configs = {{0}, {1}, {2}};
  variant.texts = {"standard", "kernel", "call"};
  variant.is_wrong.assign(3, false);
  variant.is_call = {false, false, true};
  return variant;
}

// `us` of each configuration, 0: not measured; all except the default are certified faster than it.
void add_shape(MeasuredVariant& variant, const std::vector<double>& us) {
  MeasuredShape& shape = variant.shapes.emplace_back();
  for (std::size_t c = 0; c < us.size(); ++c) {
    Cell& cell = shape.cells.emplace_back();
    if (us[c] > 0) cell.us = us[c];
    cell.is_faster = c != kStandard && us[c] > 0;
  }
}

// A later launch failed where it was certified: the result is not wrong, but it does not ship.
TEST(MayShip, NoWinnerThatACheckDisqualified) {
  MeasuredVariant variant = variant_of_three();
  add_shape(variant, {10, 5, 7});
  MeasuredShape& shape = variant.shapes.front();
  shape.best.config = "kernel";
  EXPECT_TRUE(may_ship(variant, shape, kKernel));
  shape.best.disqualified = "failed: the launch failed";
  EXPECT_FALSE(may_ship(variant, shape, kKernel));
  EXPECT_TRUE(may_ship(variant, shape, kCall)) << "another one";
  EXPECT_TRUE(may_ship(variant, shape, kStandard));
}

std::vector<std::size_t> picked(const VariantChoice& choice) {
  std::vector<std::size_t> configs;
  for (const Pick& pick : choice.picks) configs.push_back(pick.config);
  return configs;
}

TEST(ChooseConfigs, WhereACallIsPickedAKernelShipsBesideIt) {
  MeasuredVariant variant = variant_of_three();
  add_shape(variant, {20, 10, 12});
  add_shape(variant, {20, 11, 6});
  add_shape(variant, {20, 0, 5});
  std::vector<std::string> notes;
  const VariantChoice choice = choose_configs(variant, 0.03, notes);
  EXPECT_THAT(choice.configs, ElementsAre(kStandard, kKernel, kCall));
  EXPECT_THAT(picked(choice), ElementsAre(kKernel, kCall, kCall));
  EXPECT_THAT(choice.without_libraries, ElementsAre(Pair(1, kKernel), Pair(2, kStandard)));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(ChooseConfigs, AKernelThatOnlyApplicationsWithoutCallsNeedShipsToo) {
  MeasuredVariant variant = variant_of_three();
  add_shape(variant, {20, 11, 6});
  std::vector<std::string> notes;
  const VariantChoice choice = choose_configs(variant, 0.03, notes);
  EXPECT_THAT(choice.configs, ElementsAre(kStandard, kKernel, kCall));
  EXPECT_THAT(choice.without_libraries, ElementsAre(Pair(0, kKernel)));
}

// The default of the first shape is not valid for the second, whose default is that of another implementation.
TEST(ChooseConfigs, AShapeIsComparedWithItsOwnDefault) {
  MeasuredVariant variant = variant_of_three();
  add_shape(variant, {20, 0, 25});
  add_shape(variant, {0, 10, 12});
  variant.shapes.back().default_config = kKernel;
  for (MeasuredShape& shape : variant.shapes)
    for (Cell& cell : shape.cells) cell.is_faster = false;
  std::vector<std::string> notes;
  const VariantChoice choice = choose_configs(variant, 0.03, notes);
  EXPECT_THAT(picked(choice), ElementsAre(kStandard, kKernel));
  EXPECT_THAT(choice.configs, ElementsAre(kStandard, kKernel));
  EXPECT_EQ(choice.picks.back().best.default_config, "kernel");
  EXPECT_THAT(notes, IsEmpty());
}

// Untuned shapes of the same kind have this default, too.
TEST(ChooseConfigs, TheDefaultsOfAllShapesShip) {
  MeasuredVariant variant = variant_of_three();
  variant.is_call.assign(3, false);
  add_shape(variant, {20, 0, 25});
  add_shape(variant, {0, 10, 5});
  variant.shapes.back().default_config = kKernel;
  variant.shapes.front().cells[kCall].is_faster = false;
  std::vector<std::string> notes;
  const VariantChoice choice = choose_configs(variant, 0.03, notes);
  EXPECT_THAT(picked(choice), ElementsAre(kStandard, kCall));
  EXPECT_THAT(choice.configs, ElementsAre(kStandard, kKernel, kCall));
}

TEST(ChooseConfigs, WithoutACallThereIsNoSecondChoice) {
  MeasuredVariant variant = variant_of_three();
  add_shape(variant, {20, 10, 12});
  std::vector<std::string> notes;
  const VariantChoice choice = choose_configs(variant, 0.03, notes);
  EXPECT_THAT(choice.configs, ElementsAre(kStandard, kKernel));
  EXPECT_THAT(choice.without_libraries, IsEmpty());
}

} // namespace
} // namespace warptune
