// The sentence about a kernel's bound: each kind of bound, its diagnostic, and whether figures are measured.
#include "report/bound.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace warptune::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// 4e8 bytes at 4000 GB/s: 100 us.
BoundFacts facts(double time_us) {
  BoundFacts f;
  f.time_us = time_us;
  f.cost = CostEstimate{2e8, 2e8, {{"fp32", 1e9}}};
  f.roofs.dram_read_gbs = 4600;
  f.roofs.dram_copy_gbs = 4000;
  f.roofs.dram_write_gbs = 4500;
  f.roofs.l2_gbs = 8000;
  f.roofs.shared_gbs = 30000;
  f.roofs.fp32_tflops = 60;
  f.roofs.measured = true;
  return f;
}

CounterFacts counted(double dram_read, double dram_written) {
  CounterFacts c;
  c.dram_read_bytes = dram_read;
  c.dram_written_bytes = dram_written;
  return c;
}

TEST(Bound, DramByCounters) {
  BoundFacts f = facts(110);
  f.counters = counted(2e8, 2e8);
  f.counters->l2_hit_share = 0.336;
  const Bound bound = judge_bound(f);
  EXPECT_EQ(bound.sentence,
            "DRAM-bound: 91 % of the measured roof at its mix of reads and writes (4000 GB/s); L2 hit 34 %.");
  EXPECT_EQ(bound.limit, "DRAM");
  EXPECT_EQ(bound.source, "measured");
  EXPECT_NEAR(bound.share, 0.909, 0.001);
  ASSERT_GE(bound.evidence.size(), 2U);
  EXPECT_EQ(bound.evidence[0].label, "DRAM");
  EXPECT_EQ(bound.evidence[0].value, "91 % of 4000 GB/s (counted, measured roof)");
}

// The last writes of the kernel are still in the L2 when counting ends, but the timed run writes as many bytes.
TEST(Bound, WritesThatAreStillInTheCacheCount) {
  BoundFacts f = facts(110);
  f.counters = counted(2e8, 1.5e8);
  EXPECT_NEAR(judge_bound(f).share, 0.909, 0.001);
  const auto counted_bytes = [&] {
    for (const Evidence& e : judge_bound(f).evidence)
      if (e.label == "DRAM bytes counted") return e.value;
    return std::string();
  };
  EXPECT_THAT(counted_bytes(),
              HasSubstr("x the minimum that it must move; the rest was still in the L2 when counting ended"));
  f.cold_l2 = false;
  EXPECT_LT(judge_bound(f).share, 0.85);
  f.counters = counted(2e8, 2.2e8);
  f.cold_l2 = true;
  EXPECT_GT(judge_bound(f).share, 0.93) << "more than it must is counted as it is";
  EXPECT_EQ(counted_bytes(), "1.05x the minimum that it must move");
}

TEST(Bound, WritesOfTheModelBeyondTheRoofComeFromTheCache) {
  BoundFacts f = facts(90); // 111 % of the roof
  f.counters = counted(2e8, 1e8);
  EXPECT_EQ(judge_bound(f).limit, "cache");
  EXPECT_THAT(judge_bound(f).sentence, HasSubstr("; the number of written bytes comes from the model."));
  f.counters = counted(2e8, 2e8);
  EXPECT_EQ(judge_bound(f).limit, "DRAM");
}

TEST(Bound, DramByTheModelSaysSo) {
  const Bound bound = judge_bound(facts(110));
  EXPECT_EQ(bound.source, "model");
  EXPECT_THAT(bound.sentence, AllOf(StartsWith("DRAM-bound: 91 % of the measured roof"),
                                    HasSubstr("bytes from the model, because nothing was counted")));
  BoundFacts partly = facts(110);
  partly.counters = CounterFacts();
  EXPECT_THAT(judge_bound(partly).sentence, HasSubstr("its DRAM traffic was not counted"));
}

TEST(Bound, TheoreticalRoofsAreCalledSo) {
  BoundFacts f = facts(110);
  f.roofs.measured = false;
  const Bound bound = judge_bound(f);
  EXPECT_THAT(bound.sentence, AllOf(HasSubstr("of the theoretical roof"), Not(HasSubstr("measured roof"))));
  EXPECT_THAT(bound.evidence[0].value, HasSubstr("theoretical roof"));
}

TEST(Bound, MoreBytesThanItMustMove) {
  BoundFacts f = facts(150);
  f.counters = counted(3.6e8, 2e8);
  EXPECT_THAT(judge_bound(f).sentence, HasSubstr("; the kernel moves 1.4x the bytes that it must move"));
  f.cold_l2 = false; // then some of the model's bytes may come from the cache
  EXPECT_THAT(judge_bound(f).sentence, Not(HasSubstr("moves 1.4x")));
  f = facts(150);
  f.counters = counted(2.1e8, 2e8);
  EXPECT_THAT(judge_bound(f).sentence, Not(HasSubstr("moves")));
}

TEST(Bound, OtherLevels) {
  BoundFacts f = facts(400);
  f.counters = counted(2e8, 2e8);
  f.counters->l2_bytes = 2.8e9; // 7000 GB/s
  EXPECT_THAT(judge_bound(f).sentence, StartsWith("L2-bound: 88 % of the measured roof for reads (8000 GB/s)"));
  f.counters->l2_bytes = 2e8;
  f.counters->l1_bytes = 4e9;
  f.counters->shared_bytes = 6e9; // 25000 GB/s together
  EXPECT_THAT(judge_bound(f).sentence, StartsWith("L1/shared memory-bound: 83 % of the measured roof"));
}

TEST(Bound, Pipes) {
  BoundFacts f = facts(1000);
  f.cost->flops = {{"fp32", 4.8e10}}; // 48 of 60
  EXPECT_EQ(judge_bound(f).sentence, "fp32-bound: 80 % of the measured roof (60 TFLOP/s).");
  f.cost->flops = {{"tensor", 7e11}};
  f.roofs.tensor_tflops = 900;
  EXPECT_THAT(judge_bound(f).sentence, StartsWith("tensor-bound: 78 %"));
  f.cost->flops.clear();
  f.counters = counted(2e8, 2e8);
  f.counters->flops = {{"fp32", 4.8e10}};
  EXPECT_THAT(judge_bound(f).sentence, StartsWith("fp32-bound: 80 %")) << "counted where the spec gives none";
}

TEST(Bound, TwoRoofsAtOnce) {
  BoundFacts f = facts(110);
  f.cost->flops = {{"fp32", 5.9e9}}; // 54 of 60: 89 %
  EXPECT_THAT(judge_bound(f).sentence, HasSubstr(", fp32 close behind at 89 %"));
  f.cost->flops = {{"fp32", 4.6e9}}; // 70 %
  EXPECT_THAT(judge_bound(f).sentence, Not(HasSubstr("close behind")));
  f.time_us = 160;                   // DRAM at 62 %
  f.cost->flops = {{"fp32", 5.6e9}}; // 35 of 60: 58 %, near, but not a roof that is reached
  EXPECT_THAT(judge_bound(f).sentence, AllOf(StartsWith("DRAM-bound: 62 %"), Not(HasSubstr("close behind"))));
}

TEST(Bound, Latency) {
  BoundFacts f = facts(250);
  EXPECT_THAT(judge_bound(f).sentence, Not(HasSubstr("profile the kernel"))) << "a library call has no registers";
  f.resources.registers = 32;
  EXPECT_THAT(judge_bound(f).sentence, AllOf(StartsWith("Latency-bound: the highest share of a roof is 40 % (DRAM)"),
                                             HasSubstr("profile the kernel")));
  f.is_profiled = true; // set by `profile`, which must not advise to profile; nothing could be counted
  EXPECT_EQ(judge_bound(f).sentence, "Latency-bound: the highest share of a roof is 40 % (DRAM).");
  f.resources.occupancy = 0.125;
  EXPECT_THAT(judge_bound(f).sentence, HasSubstr("only 12 % of the warps that a multiprocessor can hold are resident"));
  f.counters = counted(2e8, 2e8);
  f.counters->stalls = {{"long_scoreboard", 0.41}, {"barrier", 0.2}};
  f.counters->warps_active_share = 0.2;
  const std::string sentence = judge_bound(f).sentence;
  EXPECT_THAT(sentence, AllOf(HasSubstr("warps wait most for long scoreboard (41 % of their cycles)"),
                              HasSubstr("only 20 % of the warps that a multiprocessor can hold were active"),
                              Not(HasSubstr("profile the kernel"))));
}

// 132 multiprocessors with four schedulers each at 1500 MHz: 792,000 instructions per us.
TEST(Bound, IssueIfNoRoofIsReached) {
  DeviceInfo device;
  device.limits.compute_capability = 90;
  device.limits.sm_count = 132;
  device.max_sm_clock_mhz = 1980;
  EXPECT_EQ(issue_roof(device, 1500), 792'000);
  EXPECT_EQ(issue_roof(device, 0), 4 * 132 * 1980);
  BoundFacts f = facts(200);
  f.issue_roof = issue_roof(device, 1500);
  f.counters = counted(2e8, 2e8);
  f.counters->instructions = 0.8 * 200 * 792'000;
  const Bound bound = judge_bound(f);
  EXPECT_EQ(bound.sentence,
            "Issue-bound: the schedulers issue an instruction in 80 % of their cycles; the highest share "
            "of a roof is 50 % (DRAM).");
  EXPECT_EQ(bound.limit, "issue");
  EXPECT_NEAR(bound.share, 0.8, 1e-9);
  EXPECT_TRUE(std::any_of(bound.evidence.begin(), bound.evidence.end(), [](const Evidence& e) {
    return e.label == "issue" && e.value == "80 % of the scheduler cycles (counted)";
  }));
  f.counters->instructions = 0.5 * 200 * 792'000;
  EXPECT_EQ(judge_bound(f).limit, "latency");
  f = facts(110); // A roof that is reached takes precedence.
  f.issue_roof = issue_roof(device, 1500);
  f.counters = counted(2e8, 2e8);
  f.counters->instructions = 0.99 * 110 * 792'000;
  EXPECT_EQ(judge_bound(f).limit, "DRAM");
  device.limits.compute_capability = 61;
  EXPECT_EQ(issue_roof(device, 1500), 0);
}

TEST(Bound, LaunchAndCache) {
  BoundFacts f = facts(3);
  f.cost = CostEstimate{2e6, 2e6, {}};
  EXPECT_THAT(judge_bound(f).sentence, StartsWith("Launch-bound: 3.00 us is little more than the time to start"));
  EXPECT_EQ(judge_bound(f).limit, "launch");
  f = facts(80);
  const Bound beyond = judge_bound(f);
  EXPECT_EQ(beyond.limit, "cache");
  EXPECT_THAT(beyond.sentence,
              AllOf(StartsWith("Faster than DRAM: if all bytes came from DRAM, the kernel would reach 125.0 %"),
                    HasSubstr("L2 cache")));
  f.time_us = 98; // within the error of two measurements
  EXPECT_THAT(judge_bound(f).sentence, StartsWith("DRAM-bound: 102.0 %"));
}

TEST(Bound, SpillsAreMentioned) {
  BoundFacts f = facts(110);
  f.resources.spill_bytes = 64;
  const Bound bound = judge_bound(f);
  EXPECT_THAT(bound.sentence, HasSubstr("; spills 64 bytes per thread"));
  EXPECT_EQ(bound.evidence.back().label, "spills");
}

TEST(Bound, NothingIsKnown) {
  BoundFacts f;
  EXPECT_THAT(judge_bound(f).sentence, HasSubstr("not timed"));
  f.time_us = 100;
  const Bound bound = judge_bound(f);
  EXPECT_EQ(bound.limit, "");
  EXPECT_THAT(bound.sentence, HasSubstr("`warptune roofs` measures it"));
  EXPECT_TRUE(bound.evidence.empty());
}

// "No roof is reached" requires that all possible roofs are known.
TEST(Bound, WhatIsMissingIsNoLatency) {
  BoundFacts f = facts(1000);
  EXPECT_EQ(judge_bound(f).limit, "latency");
  f.roofs.dram_read_gbs = f.roofs.dram_copy_gbs = f.roofs.dram_write_gbs = 0;
  EXPECT_THAT(judge_bound(f).sentence, HasSubstr("not known without the DRAM roof"));
  f = facts(1000);
  f.roofs.fp32_tflops = 0;
  f.cost->flops = {{"fp32", 1e9}};
  EXPECT_THAT(judge_bound(f).sentence, HasSubstr("without the fp32 roof"));
  f = facts(1000);
  f.cost.reset();
  f.counters = counted(1e6, 1e6);
  EXPECT_THAT(judge_bound(f).sentence, HasSubstr("without the operations"));
}

TEST(Bound, OneDirectionAloneIsFilledUpByTheModel) {
  BoundFacts f = facts(110);
  f.counters = CounterFacts();
  f.counters->dram_written_bytes = 2e8;
  EXPECT_NEAR(judge_bound(f).share, 0.909, 0.001);
}

TEST(Bound, RoofsFollowTheMix) {
  const Roofs roofs = facts(1).roofs;
  EXPECT_NEAR(dram_roof_gbs({1e9, 0, {}}, roofs), 4600, 1e-6);
  EXPECT_NEAR(dram_roof_gbs({1e9, 1e9, {}}, roofs), 4000, 1e-6);
  EXPECT_NEAR(dram_roof_gbs({0, 1e9, {}}, roofs), 4500, 1e-6);
  EXPECT_NEAR(pipe_roof_tflops("fp32", roofs), 60, 1e-9);
  EXPECT_EQ(pipe_roof_tflops("fp64", roofs), 0);
  EXPECT_EQ(dram_roof_gbs({}, roofs), 0);
}

} // namespace
} // namespace warptune::report
