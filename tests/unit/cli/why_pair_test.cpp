// The counters that `warptune why --profile` reads, and the stored ones that explain a time.
#include "cli/why_pair.h"
#include "jit/template_store.h"
#include "spec/config.h"
#include "support/paths.h"

#include <gtest/gtest.h>
#include <string>

namespace warptune::cli {
namespace {

// A side with all counters that lacks_counters requires.
WhySideData counted_side() {
  WhySideData side;
  Profile& profile = side.trial.profile.emplace();
  for (const char* metric :
       {"dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sectors_srcunit_tex.sum", "l1tex__t_bytes.sum",
        "sm__sass_data_bytes_mem_shared.sum", "smsp__sass_inst_executed.sum",
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "smsp__warps_issue_stalled_wait.sum"})
    profile.counters[metric] = std::string(metric).starts_with("smsp__sass_thread") ? 0 : 1; // no operations
  return side;
}

TEST(WhyPair, CountersAreReadIfAnyKindIsMissing) {
  EXPECT_TRUE(lacks_counters(WhySideData()));
  EXPECT_FALSE(lacks_counters(counted_side()));
  const WhySideData all = counted_side();
  for (const auto& [metric, value] : all.trial.profile->counters) {
    WhySideData side = counted_side();
    side.trial.profile->counters.erase(metric);
    EXPECT_TRUE(lacks_counters(side)) << metric;
  }
}

TEST(WhyPair, CountersOfAColdCacheDoNotExplainAWarmTime) {
  Asked asked;
  asked.kernel = TemplateStore({}).load((test::data_dir() / "specs" / "scale").string()).value();
  const KernelSpec& spec = asked.kernel.spec;
  asked.problem = make_problem(spec, "rows=64,cols=1024", "", {}).value();
  MeasuredTrials measured;
  for (const auto& [config, is_cold] : {std::pair{"THREADS=64,VEC=1", true}, {"THREADS=64,VEC=2", false}}) {
    MeasuredTrial& one = measured.by_config[config];
    one.trial.config = parse_config(spec, config).value();
    one.trial.timing.emplace().cold_l2 = is_cold;
    one.trial.profile = counted_side().trial.profile;
  }
  const auto pair = choose_pair(asked, {"THREADS=64,VEC=1", "THREADS=64,VEC=2"}, measured, nullptr);
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_TRUE(pair->a.trial.profile);
  EXPECT_FALSE(pair->b.trial.profile);
}

} // namespace
} // namespace warptune::cli
