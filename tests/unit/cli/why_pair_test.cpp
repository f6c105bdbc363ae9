// Which counters `warptune why --profile` reads.
#include "cli/why_pair.h"

#include <gtest/gtest.h>
#include <string>

namespace warptune::cli {
namespace {

// All that lacks_counters asks for.
WhySideData counted() {
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
  EXPECT_FALSE(lacks_counters(counted()));
  const WhySideData all = counted();
  for (const auto& [metric, value] : all.trial.profile->counters) {
    WhySideData side = counted();
    side.trial.profile->counters.erase(metric);
    EXPECT_TRUE(lacks_counters(side)) << metric;
  }
}

} // namespace
} // namespace warptune::cli
