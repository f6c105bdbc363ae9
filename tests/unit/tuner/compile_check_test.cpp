// The configurations that a check samples.
#include "core/device_table.h"
#include "spec/config.h"
#include "support/paths.h"
#include "tuner/compile_check.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

TEST(CompileCheck, TheSampleHoldsDefaultsThenEveryValueThenOthers) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("softmax").value();
  const Problem problem = make_problem(kernel.spec, "rows=1024,cols=4096", "bf16", {}).value();
  const SearchSpace space = SearchSpace::build(kernel.spec, problem, *device_of_arch("sm_90a")).value();
  const auto sample = sample_configs(kernel.spec, space, 60, 1);
  ASSERT_EQ(sample.size(), 60u);
  EXPECT_EQ(std::set<Config>(sample.begin(), sample.end()).size(), 60u);
  std::size_t defaults = 0;
  for (std::size_t i = 0; i < kernel.spec.implementations.size(); ++i) {
    const Config standard = default_config(kernel.spec, i);
    if (!space.find(standard)) continue;
    EXPECT_EQ(sample[defaults++], standard);
  }
  EXPECT_GT(defaults, 1u);
  std::set<std::pair<std::size_t, std::int64_t>> wanted, found;
  for (ConfigIndex i = 0; i < space.size(); ++i) {
    const Config config = space.config(i);
    for (std::size_t p = 0; p < config.size(); ++p) wanted.emplace(p, config[p]);
  }
  for (const Config& config : sample)
    for (std::size_t p = 0; p < config.size(); ++p) found.emplace(p, config[p]);
  EXPECT_EQ(found, wanted);
  found.clear();
  for (std::size_t i = 0; i < sample.size() && found != wanted; ++i) {
    const std::size_t before = found.size();
    for (std::size_t p = 0; p < sample[i].size(); ++p) found.emplace(p, sample[i][p]);
    EXPECT_TRUE(i < defaults || found.size() > before) << "of configuration " << i << " every value was there before";
  }
  EXPECT_EQ(sample_configs(kernel.spec, space, 60, 1), sample) << "the same again";
  EXPECT_NE(sample_configs(kernel.spec, space, 60, 2), sample);
  EXPECT_EQ(sample_configs(kernel.spec, space, 0, 1).size(), static_cast<std::size_t>(space.size()));
  EXPECT_EQ(sample_configs(kernel.spec, space, 1, 1).size(), 1u);
}

} // namespace
} // namespace warptune
