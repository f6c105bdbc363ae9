// The space of gemm's implementation for Hopper: its tiles, and the author's estimate of each configuration's time.
#include "jit/compiler.h"
#include "jit/template_store.h"
#include "plan/plan.h"
#include "predict/expected_time.h"
#include "space/space.h"
#include "support/paths.h"
#include "support/request_of.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <set>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

class GemmWgmmaSpace : public ::testing::Test {
 protected:
  Problem problem(const std::string& shape, const std::string& dtype, const std::vector<std::string>& sets) const {
    auto made = make_problem(kernel_.spec, shape, dtype, sets);
    EXPECT_TRUE(made) << made.error().message;
    return *made;
  }

  // The valid configurations of wgmma.
  std::vector<Config> configs(const Problem& problem) const {
    std::vector<Config> all;
    const auto space = SearchSpace::build(kernel_.spec, problem, h200_device());
    EXPECT_TRUE(space) << space.error().message;
    for (ConfigIndex i = 0; i < space->size(); ++i)
      if (Config config = space->config(i); kernel_.spec.implementation(config).name == "wgmma")
        all.push_back(std::move(config));
    EXPECT_FALSE(all.empty());
    return all;
  }

  std::int64_t value(const Config& config, const std::string& param) const {
    for (std::size_t p = 0; p < config.size(); ++p)
      if (kernel_.spec.params[p].name == param) return config[p];
    ADD_FAILURE() << "no param " << param;
    return 0;
  }

  std::set<std::int64_t> values(const std::vector<Config>& of, const std::string& param) const {
    std::set<std::int64_t> all;
    for (const Config& config : of) all.insert(value(config, param));
    return all;
  }

  // The configurations in `of` whose `param` has this value.
  std::vector<Config> with(const std::vector<Config>& of, const std::string& param, std::int64_t wanted) const {
    std::vector<Config> all;
    for (const Config& config : of)
      if (value(config, param) == wanted) all.push_back(config);
    EXPECT_FALSE(all.empty()) << param << "=" << wanted;
    return all;
  }

  // The shortest time that the author's estimate gives.
  double fastest_us(const Problem& problem) const {
    const TimeModel model(kernel_.spec, problem, h200_device());
    double fastest = 1e300;
    for (const Config& config : configs(problem)) {
      const double us = std::exp(model.expected_log_time(config));
      EXPECT_TRUE(model.is_by_author(config) && std::isfinite(us) && us > 5)
          << us << ": " << problem_key(kernel_.spec, problem) << " " << config_text(kernel_.spec, config);
      fastest = std::min(fastest, us);
    }
    return fastest;
  }

  const TensorMapPlan* map_of_c(const Problem& problem, const Config& config, LaunchPlan& plan) const {
    auto made = make_plan(kernel_.spec, problem, config, h200_device());
    EXPECT_TRUE(made) << made.error().message;
    if (!made) return nullptr;
    plan = std::move(*made);
    for (const TensorMapPlan& map : plan.tensor_maps)
      if (map.name == "c_map") return &map;
    return nullptr;
  }

  const Kernel kernel_ = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
};

TEST_F(GemmWgmmaSpace, TilesHaveAnyMultipleOfSixteenColumns) {
  const std::int64_t all[] = {48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256};
  EXPECT_THAT(values(configs(problem("m=4096,n=4096,k=4096", "bf16", {"layout=nt"})), "BN"), IsSupersetOf(all));
  // If TMA loads 64 columns at a time, tiles are multiples of half such a box.
  for (const std::int64_t bn : values(configs(problem("m=4096,n=4096,k=4096", "bf16", {"layout=nn"})), "BN"))
    EXPECT_TRUE(bn <= 64 || bn % 32 == 0) << bn;
  // With few rows, tiles may be narrow.
  const auto few = configs(problem("m=24,n=6144,k=4096", "bf16", {"layout=nt"}));
  EXPECT_THAT(values(with(few, "SWAP", 1), "BN"), IsSupersetOf({16, 32}));
}

// Three stages are enough only for tiles that take long.
TEST_F(GemmWgmmaSpace, RingsHideTheLatencyOfLoads) {
  for (const char* shape : {"m=24,n=6144,k=4096", "m=1024,n=1024,k=1024", "m=4096,n=4096,k=4096"}) {
    std::int64_t shortest = 100, shortest_of_large = 100;
    for (const Config& config : configs(problem(shape, "bf16", {"layout=nt"}))) {
      std::int64_t& least = value(config, "BM") * value(config, "BN") >= 40960 ? shortest_of_large : shortest;
      least = std::min(least, value(config, "STAGES") * value(config, "SLABS"));
    }
    EXPECT_EQ(shortest, 4) << shape;
    EXPECT_EQ(shortest_of_large, std::string(shape) == "m=24,n=6144,k=4096" ? 100 : 3) << shape;
  }
}

// An H200 has room for 30 clusters of four blocks at a time, not for 33.
TEST_F(GemmWgmmaSpace, ClustersOfFourLeaveTwelveMultiprocessorsFree) {
  int clusters_of_four = 0;
  for (const Config& config : configs(problem("m=5000,n=3000,k=1000", "bf16", {"layout=nt"}))) {
    const bool is_square = config_text(kernel_.spec, config).find("CLUSTER=square") != std::string::npos;
    clusters_of_four += is_square;
    EXPECT_EQ(value(config, "SPARE_SMS") == 12, is_square) << config_text(kernel_.spec, config);
  }
  EXPECT_GT(clusters_of_four, 0);
}

// Panels of C have 64 columns; if a tile is not a multiple of them, its last panel begins earlier.
TEST_F(GemmWgmmaSpace, PanelsOverlapWhereTheTileIsNoMultipleOfThem) {
  const auto check = [&](const std::string& residual, std::int64_t bn, std::uint32_t width, std::int64_t panels) {
    const Problem p = problem("m=4096,n=4096,k=4096", "bf16", {"layout=nt", "residual=" + residual});
    std::vector<Config> tiles; // 64 rows for each consumer
    for (Config& config : with(with(with(configs(p), "BN", bn), "BM", 128), "CONSUMERS", 2))
      if (config_text(kernel_.spec, config).find("SCHEDULE=cooperative") != std::string::npos)
        tiles.push_back(std::move(config));
    ASSERT_FALSE(tiles.empty()) << bn;
    EXPECT_EQ(*values(tiles, "PANELS").rbegin(), panels) << bn << " of " << width;
    for (const Config& config : {tiles.front(), tiles.back()}) {
      LaunchPlan plan;
      const TensorMapPlan* map = map_of_c(p, config, plan);
      ASSERT_TRUE(map) << bn;
      EXPECT_THAT(map->box, ElementsAre(width, 64U, 1U)) << bn;
      EXPECT_EQ(map->swizzle_bytes, 2 * static_cast<int>(width)) << bn;
    }
  };
  check("0", 80, 64, 2);
  check("0", 112, 64, 2);
  check("0", 144, 64, 2); // of three panels
  check("0", 128, 64, 2);
  check("1", 112, 16, 4); // the residual must not be added twice
  check("1", 96, 32, 2);
}

// The estimate must be positive for each valid configuration.
TEST_F(GemmWgmmaSpace, TheAuthorsEstimateIsATimeForEveryConfiguration) {
  const struct {
    const char *shape, *dtype;
    std::vector<std::string> sets;
  } problems[] = {{"m=1,n=4096,k=4096", "bf16", {"layout=nt"}},
                  {"m=1,n=8,k=8", "fp16", {"layout=nn"}},
                  {"m=4096,n=4096,k=4096", "fp16", {"layout=nt"}},
                  {"m=16384,n=16384,k=16384", "bf16", {"layout=nn"}},
                  {"m=1000,n=1016,k=4096", "bf16", {"layout=tn"}},
                  {"m=512,n=1024,k=520", "fp16", {"layout=tt", "out=fp32"}},
                  {"m=1023,n=1021,k=1019", "bf16", {"layout=nt"}},
                  {"m=128,n=128,k=64,batch=256", "bf16", {"layout=nn"}},
                  {"m=64,n=65536,k=16384", "bf16", {"layout=nt"}},
                  {"m=64,n=512,k=1048576", "bf16", {"layout=nt", "shared=b"}},
                  {"m=130,n=520,k=328", "fp16", {"layout=nt", "activation=swiglu", "residual=1"}},
                  {"m=20,n=1024,k=200", "bf16", {"layout=tn", "activation=geglu", "bias=1"}}};
  for (const auto& [shape, dtype, sets] : problems) {
    const Problem p = problem(shape, dtype, sets);
    const double fastest = fastest_us(p);
    // Not faster than an H200 (1000 TFLOP/s, 4.9 TB/s), and not far slower.
    const auto size = [&](const char* name) {
      const auto& dims = kernel_.spec.dims;
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (dims[d].name == name) return static_cast<double>(p.dims[d]);
      return 0.0;
    };
    const double flops = 2 * size("m") * size("n") * size("k") * size("batch");
    const double bytes_of_b = 2 * size("n") * size("k");
    EXPECT_GT(fastest, std::max(flops / 1000e6, bytes_of_b / 4.9e6)) << shape;
    EXPECT_LT(fastest, 60 + flops / 200e6 + bytes_of_b * size("batch") / 1e6) << shape;
  }
}

// What an application without results launches: ptxas neither spills registers nor serialises wgmma (C7510 and similar
// remarks stay in the log), and may set the numbers of registers of producer and consumers (C7508).
TEST_F(GemmWgmmaSpace, TheConfigurationsWithTheShortestEstimatesCompileWithoutRemarks) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const struct {
    const char *shape, *dtype, *layout;
  } problems[] = {{"m=4096,n=4096,k=4096", "bf16", "layout=nt"},
                  {"m=8192,n=8192,k=8192", "fp16", "layout=nn"},
                  {"m=16,n=4096,k=14336", "bf16", "layout=nt"}};
  for (const auto& [shape, dtype, layout] : problems) {
    SCOPED_TRACE(shape);
    const Problem p = problem(shape, dtype, {layout});
    const TimeModel model(kernel_.spec, p, h200_device());
    const auto all = configs(p);
    const auto fastest =
        std::ranges::min_element(all, {}, [&](const Config& config) { return model.expected_log_time(config); });
    const auto request = test::request_of(kernel_.spec, kernel_.sources, p, *fastest, h200_device());
    ASSERT_TRUE(request) << request.error().message;
    const auto compiled = compile(*request, 0);
    ASSERT_TRUE(compiled && *compiled) << config_text(kernel_.spec, *fastest);
    EXPECT_EQ((*compiled)->log, "") << config_text(kernel_.spec, *fastest);
    for (const KernelResources& kernel : (*compiled)->resources) EXPECT_EQ(kernel.spill_bytes, 0);
  }
}

// Rows of 4095 elements are copied first: 134 MB are read or written additionally.
TEST_F(GemmWgmmaSpace, CopiesTakeTheirTime) {
  const double plain = fastest_us(problem("m=4096,n=4096,k=4096", "bf16", {"layout=nt"}));
  const double copied = fastest_us(problem("m=4096,n=4096,k=4095", "bf16", {"layout=nt"}));
  EXPECT_GT(copied, plain + 134e6 / 4.9e6);
  EXPECT_LT(copied, plain + 100);
}

// The other implementations are ranked by the roofline; libraries have no estimate.
TEST_F(GemmWgmmaSpace, OnlySimtIsEstimatedBesides) {
  for (const Implementation& implementation : kernel_.spec.implementations)
    EXPECT_EQ(implementation.expected_us.has_value(), implementation.name == "wgmma" || implementation.name == "simt")
        << implementation.name;
}

} // namespace
} // namespace warptune
