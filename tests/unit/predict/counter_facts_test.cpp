// Facts derived from counters, with hand-made values.
#include "predict/counter_facts.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace warptune {
namespace {

using Counters = std::map<std::string, double>;

TEST(CounterFacts, nothingCountedIsNothingKnown) {
  const CounterFacts facts = counter_facts({});
  EXPECT_FALSE(facts.dram_read_bytes || facts.dram_written_bytes || facts.l2_bytes || facts.l1_bytes);
  EXPECT_FALSE(facts.shared_bytes || facts.l2_hit_share || facts.warps_active_share || facts.instructions);
  EXPECT_TRUE(facts.flops.empty());
  EXPECT_TRUE(facts.stalls.empty());
}

TEST(CounterFacts, bytesByLevel) {
  const CounterFacts facts = counter_facts({{"dram__bytes_read.sum", 100},
                                            {"dram__bytes_write.sum", 50},
                                            {"lts__t_sectors_srcunit_tex.sum", 6},
                                            {"lts__t_bytes.sum", 999},
                                            {"l1tex__t_bytes.sum", 210},
                                            {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 12},
                                            {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum", 2}});
  EXPECT_EQ(facts.dram_read_bytes, 100);
  EXPECT_EQ(facts.dram_written_bytes, 50);
  EXPECT_EQ(facts.l2_bytes, 192); // traffic of the SMs, without the exchange between the halves of the L2
  EXPECT_EQ(facts.l1_bytes, 210);
  EXPECT_EQ(facts.shared_bytes, 1280); // without shuffles and warp launches
}

TEST(CounterFacts, sharedBytesAskedForWhereTurnsWereNotCounted) {
  EXPECT_EQ(counter_facts({{"sm__sass_data_bytes_mem_shared.sum", 64}}).shared_bytes, 64);
  EXPECT_EQ(
      counter_facts({{"sm__sass_data_bytes_mem_shared.sum", 64}, {"sm__sass_data_bytes_mem_shared_op_gmma.sum", 1000}})
          .shared_bytes,
      1064);
}

TEST(CounterFacts, hitShareFromWhateverWasCounted) {
  const Counters filled = {{"lts__t_sectors_srcunit_tex.sum", 300}, {"lts__d_sectors_fill_device.sum", 200}};
  EXPECT_NEAR(*counter_facts(filled).l2_hit_share, 1.0 / 3, 1e-12);
  Counters exact = filled;
  exact["lts__t_sectors_srcunit_tex_lookup_hit.sum"] = 30;
  exact["lts__t_sectors_srcunit_tex_lookup_miss.sum"] = 10;
  EXPECT_NEAR(*counter_facts(exact).l2_hit_share, 0.75, 1e-12);
  // More bytes fetched than requested (whole lines): the hit rate is 0, never negative.
  EXPECT_EQ(
      *counter_facts({{"lts__t_sectors_srcunit_tex.sum", 100}, {"lts__d_sectors_fill_device.sum", 400}}).l2_hit_share,
      0);
  EXPECT_FALSE(
      counter_facts({{"lts__t_sectors_srcunit_tex.sum", 0}, {"lts__d_sectors_fill_device.sum", 4}}).l2_hit_share);
}

TEST(CounterFacts, operationsByPipe) {
  const std::string op = "smsp__sass_thread_inst_executed_op_";
  const CounterFacts facts = counter_facts({{op + "ffma_pred_on.sum", 100},
                                            {op + "fadd_pred_on.sum", 10},
                                            {op + "fmul_pred_on.sum", 1},
                                            {op + "dfma_pred_on.sum", 0},
                                            {op + "hfma_pred_on.sum", 5},
                                            {op + "hadd_pred_on.sum", 1},
                                            {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 4096},
                                            {"sm__ops_path_tensor_src_fp8.sum", 0}});
  const std::vector<std::pair<std::string, double>> expected = {{"fp32", 211}, {"fp16", 22}, {"tensor", 4096}};
  EXPECT_EQ(facts.flops, expected);
  // Twice 111, and twice two counters of 6 instructions.
  const std::vector<std::pair<std::string, double>> work = {
      {"fp32", 222}, {"fp16", 24}, {"tensor", 4096}, {"tensor fp8", 0}};
  EXPECT_EQ(facts.pipe_work, work); // without fp64: not all of its instructions were counted, so 0 is not reliable
}

TEST(CounterFacts, stallsAreSharesWithTheLargestFirst) {
  const CounterFacts facts = counter_facts({{"smsp__warps_issue_stalled_wait.sum", 20},
                                            {"smsp__warps_issue_stalled_long_scoreboard.sum", 70},
                                            {"smsp__warps_issue_stalled_selected.sum", 10},
                                            {"smsp__warps_issue_stalled_barrier.avg", 1000}});
  ASSERT_EQ(facts.stalls.size(), 2U) << "a warp that issues does not wait";
  EXPECT_EQ(facts.stalls[0].first, "long_scoreboard");
  EXPECT_NEAR(facts.stalls[0].second, 0.7, 1e-12);
  EXPECT_EQ(facts.stalls[1].first, "wait");
}

TEST(CounterFacts, aWarpThatCouldIssueButWasNotChosenDoesNotWait) {
  const CounterFacts facts = counter_facts({{"smsp__warps_issue_stalled_not_selected.sum", 50},
                                            {"smsp__warps_issue_stalled_selected.sum", 30},
                                            {"smsp__warps_issue_stalled_wait.sum", 20}});
  ASSERT_EQ(facts.stalls.size(), 1U);
  EXPECT_EQ(facts.stalls[0].first, "wait");
  EXPECT_NEAR(facts.stalls[0].second, 0.2, 1e-12) << "of all cycles of the warps";
}

TEST(CounterFacts, valuesThatAreNoNumbersAreNotKnown) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(counter_facts({{"dram__bytes_read.sum", nothing}}).dram_read_bytes);
  EXPECT_EQ(counter_facts({{"smsp__inst_executed.sum", nothing}, {"smsp__sass_inst_executed.sum", 7}}).instructions, 7);
  const double most = *counter_facts({{"sm__warps_active.avg.pct_of_peak_sustained_active", 103}}).warps_active_share;
  EXPECT_EQ(most, 1);
}

} // namespace
} // namespace warptune
