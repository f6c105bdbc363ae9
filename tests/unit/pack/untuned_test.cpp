// The cubins that a pack holds for untuned shapes, with the shipped templates' own formulas; nothing is compiled.
#include "jit/template_store.h"
#include "pack/programs.h"
#include "pack/untuned.h"
#include "spec/config.h"
#include "support/paths.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <random>
#include <set>
#include <stdexcept>

namespace warptune {
namespace {

constexpr std::size_t kLimit = 128;

struct Untuned {
  PackedKernel kernel;
  MeasuredVariant variant;
  std::vector<std::size_t> configs;

  // Takes the shapes of the default suite as the tuned ones.
  explicit Untuned(const std::string& name) {
    auto loaded = TemplateStore({test::share_dir() / "kernel_templates"}).load(name);
    if (!loaded) throw std::runtime_error(loaded.error().message);
    kernel = {{}, std::move(loaded->spec), std::move(loaded->sources)};
    variant.device = h200_device();
    ship(default_config(kernel.spec));
    for (const auto& [suite, shapes] : kernel.spec.suites)
      for (const SuiteEntry& entry : shapes)
        if (auto problem = make_problem(kernel.spec, entry.shape, kernel.spec.dtypes.front(), flags());
            suite == "default")
          variant.shapes.push_back({*problem, {}, {}, {}, {}});
  }

  std::vector<std::int64_t> flags() const {
    std::vector<std::int64_t> values;
    for (const Flag& flag : kernel.spec.flags) values.push_back(flag.values.front());
    return values;
  }
  void ship(Config config) {
    configs.push_back(variant.configs.size());
    variant.configs.push_back(std::move(config));
  }
  std::size_t param(const std::string& name) const {
    for (std::size_t i = 0; i < kernel.spec.params.size(); ++i)
      if (kernel.spec.params[i].name == name) return i;
    throw std::runtime_error("no param " + name);
  }
  ProbeTable probe(const Choose& choose = {}) const {
    return probe_programs(kernel, variant, configs, make_probes(kernel.spec, variant), choose);
  }
  // Shapes that a user may ask for: equally often any size, a multiple of 8 and a multiple of 64, for dims of 16 to
  // 16384; dims with a default keep it.
  std::vector<Problem> others() const {
    std::mt19937 numbers(7);
    std::vector<Problem> problems;
    for (int i = 0; i < 300; ++i) {
      const std::int64_t step = std::vector<std::int64_t>{1, 8, 64}[numbers() % 3];
      Shape dims;
      for (const Dim& dim : kernel.spec.dims) {
        const std::int64_t size = std::int64_t{16} << (numbers() % 10);
        const std::int64_t any = (size + static_cast<std::int64_t>(numbers()) % size) / step;
        dims.push_back(dim.standard.value_or(std::max<std::int64_t>(1, any) * step));
      }
      problems.push_back(*make_problem(kernel.spec, dims, kernel.spec.dtypes.front(), flags()));
    }
    return problems;
  }
};

std::set<std::string> picked_keys(const ProbeTable& table, std::size_t limit) {
  std::set<std::string> keys;
  for (const std::size_t i : pick_programs(table, limit, [](const std::string&) { return false; }))
    keys.insert(table.programs[i].key);
  return keys;
}

double share_served(const Untuned& untuned, const std::set<std::string>& keys) {
  const ProbeTable others = probe_programs(untuned.kernel, untuned.variant, untuned.configs, untuned.others(), {});
  const UntunedShare share = share_of(others, [&](const std::string& key) { return keys.count(key) != 0; });
  EXPECT_EQ(share.probes, 300U);
  return static_cast<double>(share.served) / static_cast<double>(share.probes);
}

// Gaps between rows and batches are rare: their cubins must not displace those for shapes without.
TEST(UntunedProbes, DimsWithADefaultMostlyKeepIt) {
  const Untuned gemm("gemm");
  const auto probes = make_probes(gemm.kernel.spec, gemm.variant);
  const auto& dims = gemm.kernel.spec.dims;
  const auto keeps_defaults = [&](const Problem& probe) {
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (dims[d].standard && probe.dims[d] != *dims[d].standard) return false;
    return true;
  };
  const auto kept = std::count_if(probes.begin(), probes.end(), keeps_defaults);
  EXPECT_NEAR(static_cast<double>(kept) / static_cast<double>(probes.size()), 0.75, 0.05);
  EXPECT_NE(probes.front().dims, probes.back().dims) << "other dims vary";
}

TEST(UntunedPrograms, OfConfigurationsThatCallLibrariesNoneCount) {
  Untuned plain((test::data_dir() / "tuner" / "duplicate").string());
  const std::size_t without = plain.probe().programs.size();
  EXPECT_GT(without, 0U);
  plain.ship(parse_config(plain.kernel.spec, "implementation=cleared,B=4").value());
  EXPECT_EQ(plain.probe().programs.size(), without) << "an application may not allow them";
}

class ShippedTemplate : public testing::TestWithParam<const char*> {};

TEST_P(ShippedTemplate, AlmostEveryOtherShapeHasAProgram) {
  const Untuned untuned(GetParam());
  EXPECT_GE(share_served(untuned, picked_keys(untuned.probe(), kLimit)), 0.95);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedTemplate, testing::Values("axpy", "reduce_sum", "sgemm", "softmax", "transpose"));

// Without probes, the cubins served one shape in six.
TEST(UntunedShapes, TheSuitesAloneServeFewShapesOfSgemm) {
  const Untuned untuned("sgemm");
  Programs programs;
  add_suite_programs(programs, untuned.kernel, untuned.variant, untuned.configs);
  std::set<std::string> keys;
  for (const auto& [key, program] : programs) keys.insert(key);
  EXPECT_LT(share_served(untuned, keys), 0.5);
  const ProbeTable table = untuned.probe();
  add_probed_programs(programs, untuned.kernel, untuned.variant, table,
                      pick_programs(table, kLimit, [&](const std::string& key) { return keys.count(key) != 0; }));
  keys.clear();
  for (const auto& [key, program] : programs) keys.insert(key);
  EXPECT_GE(share_served(untuned, keys), 0.95);
}

TEST(UntunedShapes, WhatBakesAShapeInIsNotPicked) {
  Untuned untuned("sgemm");
  Config fixed = untuned.variant.configs.front();
  fixed[untuned.param("FIXED")] = 1;
  untuned.ship(fixed);
  const ProbeTable table = untuned.probe([&](const Problem&, const Allowed& allowed) {
    return std::optional(allowed(fixed) ? fixed : untuned.variant.configs.front());
  });
  std::size_t baked = 0;
  for (const ProbedProgram& program : table.programs) baked += program.is_default ? 0 : 1;
  EXPECT_GT(baked, 1000U);
  std::size_t picked_default = 0;
  const auto picked = pick_programs(table, kLimit, [](const std::string&) { return false; });
  for (const std::size_t i : picked) {
    picked_default += table.programs[i].is_default ? 1 : 0;
    EXPECT_GT(table.programs[i].serves, 1U);
  }
  // Two cases along m: whole or ragged tiles; three cases along n and along k: whole tiles, whole vectors, or neither.
  EXPECT_EQ(picked_default, 18U);
}

TEST(UntunedShapes, TheDefaultComesFirstThenWhatIsChosenMost) {
  Untuned untuned("sgemm");
  Config narrow = untuned.variant.configs.front(), shallow = narrow;
  narrow[untuned.param("BN")] = 64;
  shallow[untuned.param("BK")] = 8;
  untuned.ship(narrow);
  untuned.ship(shallow);
  const ProbeTable table = untuned.probe(
      [&](const Problem& p, const Allowed&) { return std::optional(p.dims[0] % 2 == 0 ? narrow : shallow); });
  const auto none = [](const std::string&) { return false; };
  const auto all = pick_programs(table, 1000, none);
  ASSERT_GT(all.size(), 18U);
  for (std::size_t i = 1; i < all.size(); ++i) {
    const ProbedProgram &before = table.programs[all[i - 1]], &after = table.programs[all[i]];
    EXPECT_GE(before.is_default, after.is_default);
    if (after.is_default) {
      EXPECT_GE(before.serves, after.serves);
    } else if (!before.is_default) {
      EXPECT_GE(before.wanted, after.wanted);
    }
  }
  const auto some = pick_programs(table, 20, none);
  EXPECT_EQ(some, std::vector<std::size_t>(all.begin(), all.begin() + 20));
  const std::string first = table.programs[all.front()].key;
  const auto rest = pick_programs(table, 20, [&](const std::string& key) { return key == first; });
  EXPECT_EQ(rest.front(), all[1]);
  EXPECT_EQ(rest.size(), 20U);

  const UntunedShare share = share_of(table, [&](const std::string& key) { return picked_keys(table, 20).count(key); });
  EXPECT_EQ(share.served, share.probes);
  EXPECT_LT(share.as_chosen, share.probes);
}

} // namespace
} // namespace warptune
