// Configurations that ship for untuned shapes: the greedy choice by hand, and on a template whose fastest configuration
// compiles the shape in.
#include "jit/template_store.h"
#include "pack/extra.h"
#include "spec/config.h"
#include "support/paths.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Promises = std::vector<std::vector<Promise>>;

bool always(std::size_t /*config*/, std::size_t /*shape*/) { return true; }

double mean_loss(const Promises& promises, const std::vector<std::size_t>& shipped) {
  double sum = 0;
  for (const auto& shape : promises) {
    double least = 1;
    for (const auto& [config, loss] : shape)
      if (std::find(shipped.begin(), shipped.end(), config) != shipped.end()) least = std::min(least, loss);
    sum += least;
  }
  return sum / static_cast<double>(promises.size());
}

// Configuration 0 covers the tuned shapes; on half of all other shapes it is far slower than 1, and on some slower than
// 2.
TEST(SpreadConfigs, WhatHelpsMostShapesComesFirst) {
  const Promises promises{{{0, 0.4}, {1, 0.0}, {2, 0.3}},
                          {{0, 0.3}, {1, 0.01}, {2, 0.0}},
                          {{0, 0.0}, {1, 0.2}, {2, 0.2}},
                          {{0, 0.1}, {1, 0.1}, {2, 0.02}}};
  EXPECT_NEAR(mean_loss(promises, {0}), 0.2, 1e-12);
  EXPECT_THAT(spread_configs(promises, {0}, 1, always), ElementsAre(1));
  EXPECT_THAT(spread_configs(promises, {0}, 9, always), ElementsAre(1, 2));
  EXPECT_NEAR(mean_loss(promises, {0, 1, 2}), 0.005, 1e-12);
  EXPECT_THAT(spread_configs(promises, {0}, 0, always), IsEmpty());
}

TEST(SpreadConfigs, WhatGainsNextToNothingStaysOut) {
  EXPECT_THAT(spread_configs({{{0, 0.0104}, {1, 0.01}}}, {0}, 9, always), IsEmpty());
  EXPECT_THAT(spread_configs({{{0, 0.011}, {1, 0.01}}}, {0}, 9, always), ElementsAre(1));
  EXPECT_THAT(spread_configs({}, {0}, 9, always), IsEmpty());
}

TEST(SpreadConfigs, OfEqualsTheFirst) {
  EXPECT_THAT(spread_configs({{{2, 0.1}, {1, 0.1}, {0, 0.5}}}, {0}, 9, always), ElementsAre(1));
}

// Without a cubin for a shape, neither a shipped configuration nor a candidate counts there.
TEST(SpreadConfigs, WhatCannotServeAShapeCountsNothingThere) {
  const Promises promises{{{0, 0.0}, {1, 0.05}, {2, 0.1}}, {{0, 0.0}, {1, 0.05}, {2, 0.1}}};
  EXPECT_THAT(spread_configs(promises, {0}, 9, always), IsEmpty());
  const auto none_of_0 = [](std::size_t config, std::size_t) { return config != 0; };
  EXPECT_THAT(spread_configs(promises, {0}, 9, none_of_0), ElementsAre(1));
  const auto only_2 = [](std::size_t config, std::size_t) { return config == 2; };
  EXPECT_THAT(spread_configs(promises, {0}, 9, only_2), ElementsAre(2));
}

struct ExtraOfSgemm : testing::Test {
  PackedKernel kernel;
  MeasuredVariant variant;

  ExtraOfSgemm() {
    auto loaded = TemplateStore({test::share_dir() / "kernel_templates"}).load("sgemm");
    kernel = {{}, std::move(loaded.value().spec), std::move(loaded.value().sources)};
    variant.device = h200_device();
    for (const Shape& dims : {Shape{1024, 1024, 1024}, Shape{2048, 2048, 2048}, Shape{4096, 4096, 4096}}) {
      MeasuredShape& shape = variant.shapes.emplace_back();
      shape.problem = *make_problem(kernel.spec, dims, kernel.spec.dtypes.front(), {kernel.spec.flags[0].values[0]});
    }
  }
  std::size_t add(const char* param, std::int64_t value, double us, bool is_faster = true) {
    Config config = default_config(kernel.spec);
    for (std::size_t i = 0; i < kernel.spec.params.size(); ++i)
      if (kernel.spec.params[i].name == param) config[i] = value;
    variant.configs.push_back(config);
    variant.texts.push_back(config_text(kernel.spec, config));
    variant.is_wrong.push_back(false);
    for (MeasuredShape& shape : variant.shapes) {
      Cell& cell = shape.cells.emplace_back();
      cell.us = us;
      cell.is_faster = is_faster;
    }
    return variant.configs.size() - 1;
  }
};

TEST_F(ExtraOfSgemm, TheNextBestShipsWhereTheFastestBakesTheShapeIn) {
  const std::size_t standard = add("FIXED", 0, 200, false), fixed = add("FIXED", 1, 100),
                    next = add("COPY_STEPS", 4, 105);
  variant.default_config = standard;
  ASSERT_NE(variant.configs[next], variant.configs[standard]);
  EXPECT_THAT(extra_configs(kernel, variant, {standard, fixed}, 9), ElementsAre(next));
  EXPECT_THAT(extra_configs(kernel, variant, {standard, fixed, next}, 9), IsEmpty());
  EXPECT_THAT(extra_configs(kernel, variant, {standard, fixed}, 0), IsEmpty());
}

TEST_F(ExtraOfSgemm, WhatWasNeverShownToBeFasterThanTheDefaultOrWasWrongDoesNotShip) {
  const std::size_t standard = add("FIXED", 0, 200, false);
  add("COPY_STEPS", 4, 105, false);
  const std::size_t wrong = add("STAGES", 3, 100);
  variant.is_wrong[wrong] = true;
  variant.default_config = standard;
  EXPECT_THAT(extra_configs(kernel, variant, {standard}, 9), IsEmpty());
}

} // namespace
} // namespace warptune
