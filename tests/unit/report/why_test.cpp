// Pairs of configurations with a known difference: their bounds, the cause of the difference, and cases without one.
#include "report/launch_facts.h"
#include "report/why.h"

#include <gmock/gmock.h>

namespace warptune::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Counters = std::map<std::string, double>;

// In one us: 4e6 bytes of DRAM, 8e6 bytes of the L2 and 6e7 operations of fp32; 4 * 100 * 2000 = 8e5 instructions.
DeviceInfo device() {
  DeviceInfo d;
  d.limits.sm_count = 100;
  d.limits.compute_capability = 90;
  d.max_sm_clock_mhz = 2000;
  d.roofs.dram_read_gbs = d.roofs.dram_copy_gbs = d.roofs.dram_write_gbs = 4000;
  d.roofs.l2_gbs = 8000;
  d.roofs.shared_gbs = 32000;
  d.roofs.fp32_tflops = 60;
  d.roofs.measured = true;
  return d;
}

constexpr const char* kRead = "dram__bytes_read.sum";
constexpr const char* kWritten = "dram__bytes_write.sum";
constexpr const char* kSectors = "lts__t_sectors_srcunit_tex.sum";
constexpr const char* kInstructions = "smsp__inst_executed.sum";

// 100 us of DRAM, 50 us of the L2, 20 us of issue, 10 us of the L1; no operations.
Counters usual() {
  return {{kRead, 3e8},
          {kWritten, 1e8},
          {kSectors, 4e8 / 32},
          {kInstructions, 1.6e7},
          {"l1tex__t_bytes.sum", 3.2e8},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 0},
          {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0},
          {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 0},
          {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0}};
}

// `cycles`: of all warps, by stall reason.
Counters with_stalls(Counters counters, const std::map<std::string, double>& cycles) {
  for (const auto& [state, count] : cycles) counters["smsp__warps_issue_stalled_" + state + ".sum"] = count;
  return counters;
}

WhyFacts pair_of(double a_us, Counters a, double b_us, Counters b) {
  WhyFacts facts;
  facts.a = {"A", a_us, 0, std::move(a)};
  facts.b = {"B", b_us, 0, std::move(b)};
  facts.ratio = {b_us / a_us, 0.99 * b_us / a_us, 1.01 * b_us / a_us};
  facts.device = device();
  return facts;
}

TEST(ResourceTimes, AreWorkOverRoof) {
  Work work;
  work.counters = counter_facts({{kRead, 3e8},
                                 {kWritten, 1e8},
                                 {kSectors, 1e7},
                                 {"l1tex__t_bytes.sum", 3.2e8},
                                 {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 2.5e6},
                                 {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1e9},
                                 {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 5e8},
                                 {kInstructions, 1.6e7}});
  const auto times = resource_times(work, device());
  std::vector<std::pair<std::string, double>> found;
  for (const ResourceTime& time : times) {
    found.emplace_back(time.resource, std::round(time.busy_us * 100) / 100);
    EXPECT_TRUE(time.counted) << time.resource;
  }
  // DRAM 4e8 / 4e6; fp32 2 * (1e9 + 5e8) / 6e7; L2 1e7 * 32 / 8e6; issue 1.6e7 / 8e5; L1 (3.2e8 + 2.5e6 * 128) / 3.2e7.
  EXPECT_EQ(found, (std::vector<std::pair<std::string, double>>{
                       {"DRAM", 100}, {"fp32", 50}, {"L2", 40}, {"L1/shared memory", 20}, {"issue", 20}}));
}

TEST(ResourceTimes, TakeTheClockOfTheRunAndTheModel) {
  Work work;
  work.counters = counter_facts({{kInstructions, 1.6e7}});
  work.sm_clock_mhz = 1000; // half the instructions per us
  work.cost = CostEstimate{4e8, 0, {{"fp32", 3e9}, {"sfu", 1e9}}};
  const auto times = resource_times(work, device());
  ASSERT_EQ(times.size(), 3U); // the roof of sfu is not known
  EXPECT_EQ(times[0].resource, "DRAM");
  EXPECT_FALSE(times[0].counted);
  EXPECT_EQ(times[1].resource, "fp32");
  EXPECT_NEAR(times[1].busy_us, 50, 1e-9);
  EXPECT_FALSE(times[1].counted);
  EXPECT_EQ(times[2].resource, "issue");
  EXPECT_NEAR(times[2].busy_us, 40, 1e-9);
}

TEST(ResourceTimes, TakeCountedOperationsBeforeTheModel) {
  Work work;
  work.counters = counter_facts({{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1.5e9}});
  work.cost = CostEstimate{0, 0, {{"fp32", 1e9}}};
  const auto times = resource_times(work, device());
  ASSERT_EQ(times.size(), 1U);
  EXPECT_TRUE(times[0].counted);
  EXPECT_NEAR(times[0].busy_us, 50, 1e-9);
}

TEST(ResourceTimes, ACounterOf0IsNoWorkOfThatPipe) {
  Work work;
  work.counters = counter_facts(usual());
  work.cost = CostEstimate{0, 0, {{"fp32", 1e9}, {"fp64", 1e9}}};
  for (const ResourceTime& time : resource_times(work, device())) EXPECT_NE(time.resource, "fp32");
  // A counter of 0 for one type of the tensor cores does not apply to another type.
  work.counters->pipe_work = {{"tensor", 0}};
  work.cost = CostEstimate{0, 0, {{"tensor", 1e9}, {"tensor fp8", 1e9}}};
  DeviceInfo with_tensor = device();
  with_tensor.roofs.tensor_tflops = 900;
  with_tensor.roofs.tensor_fp8_tflops = 1800;
  std::vector<std::string> names;
  for (const ResourceTime& time : resource_times(work, with_tensor)) names.push_back(time.resource);
  EXPECT_THAT(names, AllOf(testing::Contains("tensor fp8"), Not(testing::Contains("tensor"))));
}

TEST(ResourceTimes, TellWhatWasNotCounted) {
  Work work;
  work.counters = counter_facts(usual());
  EXPECT_THAT(uncounted(work), IsEmpty());
  work.counters->l2_bytes.reset();
  work.counters->dram_written_bytes.reset();
  work.counters->pipe_work.clear();
  EXPECT_EQ(uncounted(work), (std::vector<std::string>{"DRAM", "L2", "operations"}));
  work.cost = CostEstimate{0, 0, {{"fp32", 1}}};
  EXPECT_EQ(uncounted(work), (std::vector<std::string>{"DRAM", "L2"}));
  work.counters.reset();
  EXPECT_EQ(uncounted(work).size(), 5U);
}

Work work_with(CounterFacts counters) {
  Work work;
  work.counters = std::move(counters);
  return work;
}

TEST(Limits, AreTheBusiestResourceOrLatencyOrTheLaunch) {
  const std::vector<ResourceTime> times = {{"DRAM", "B", 1, 100, true}, {"L2", "B", 1, 40, true}};
  const Limit dram = find_limit(125, times, work_with({}));
  EXPECT_EQ(dram.name, "DRAM");
  EXPECT_NEAR(dram.share, 0.8, 1e-9);
  EXPECT_EQ(dram.next, "L2");
  EXPECT_EQ(dram.next_us, 40);
  CounterFacts waits = counter_facts(usual());
  waits.stalls = {{"barrier", 0.5}, {"wait", 0.1}};
  const Limit latency = find_limit(200, times, work_with(waits));
  EXPECT_EQ(latency.name, "latency");
  EXPECT_EQ(latency.stall, "barrier");
  EXPECT_EQ(latency.next, "DRAM");
  EXPECT_EQ(latency.next_us, 100);
  const Limit launch = find_limit(4, {{"DRAM", "B", 1, 0.1, true}}, work_with(waits));
  EXPECT_EQ(launch.name, "launch");
  EXPECT_EQ(launch.next_us, 0.1);
  const Limit unknown = find_limit(200, times, Work());
  EXPECT_EQ(unknown.name, "");
  EXPECT_EQ(unknown.next, "");
  EXPECT_EQ(unknown.unknown, "nothing was counted");
}

TEST(Limits, LatencyIsOnlyWhatIsLeftWhenAllIsCounted) {
  const std::vector<ResourceTime> times = {{"DRAM", "B", 1, 100, true}};
  EXPECT_EQ(find_limit(200, times, work_with(counter_facts(usual()))).name, "latency");
  EXPECT_EQ(find_limit(200, {}, work_with(counter_facts(usual()))).name, "");
  CounterFacts partial = counter_facts(usual());
  partial.l2_bytes.reset();
  const Limit limit = find_limit(200, times, work_with(partial));
  EXPECT_EQ(limit.name, "");
  EXPECT_EQ(limit.next, "");
  EXPECT_THAT(limit.unknown, HasSubstr("not counted (L2)"));
}

// The rule of bound.h: bytes of the model that the run did not read from DRAM do not make DRAM a limit.
TEST(Limits, TheModelsBytesBeyondTheRoofOfDramAreNoLimit) {
  const std::vector<ResourceTime> model = {{"DRAM", "B", 1, 106, false}, {"L2", "B", 1, 40, true}};
  const Limit limit = find_limit(100, model, work_with({}));
  EXPECT_EQ(limit.name, "");
  EXPECT_THAT(limit.unknown, HasSubstr("must come from the L2 cache"));
  EXPECT_EQ(find_limit(102, model, work_with({})).name, "DRAM"); // within the error of two measurements
  const std::vector<ResourceTime> counted = {{"DRAM", "B", 1, 106, true}};
  EXPECT_EQ(find_limit(100, counted, work_with({})).name, "DRAM");
}

TEST(Limits, WritesOfTheModelBeyondTheRoofOfDramAreNoLimitEither) {
  Work work;
  work.cost = CostEstimate{1e8, 3e8, {}};
  work.counters = counter_facts({{kRead, 1e8}});
  for (const double written : {-1.0, 1e8}) { // not counted, or still in the L2
    if (written > 0) work.counters->dram_written_bytes = written;
    const auto times = resource_times(work, device());
    ASSERT_EQ(times.front().resource, "DRAM");
    EXPECT_TRUE(times.front().counted && times.front().mixed);
    EXPECT_EQ(find_limit(80, times, work).name, "") << "100 us of DRAM in 80 us";
    EXPECT_EQ(find_limit(98, times, work).name, "DRAM");
  }
  work.counters->dram_written_bytes = 3e8;
  EXPECT_FALSE(resource_times(work, device()).front().mixed);
}

// The sentence names DRAM, which cannot have moved these bytes, not the busiest of the other resources.
TEST(Why, BytesBeyondTheRoofOfDramAreSaidToBeSo) {
  Counters read = usual();
  read.erase(kWritten);
  WhyFacts facts = pair_of(80, read, 160, usual());
  facts.cost = CostEstimate{3e8, 1e8, {}};
  const std::string sentence =
      "The limit of A is not known, because moving the modelled bytes from DRAM would take longer than the run, so "
      "some of them must come from the L2 cache; moving all of them would take 125.0 % of the run.";
  EXPECT_THAT(explain_difference(facts).verdict, HasSubstr(sentence)) << "the writes are the model's";
  facts.a.counters.reset();
  EXPECT_THAT(explain_difference(facts).verdict, HasSubstr(sentence)) << "all is the model's";
}

TEST(Why, NoResourceWorksBeyondItsRoof) {
  Counters more = usual();
  more[kRead] = 3.2e8; // 105 us
  EXPECT_THAT(explain_difference(pair_of(102, more, 210, more)).verdict,
              HasSubstr("A is bound by DRAM, which works at its roof (102.9 % of it)."));
}

TEST(Why, ARatioThatContradictsTheTimesHasNoCause) {
  Counters more = usual();
  more[kRead] = 3.3e8;
  WhyFacts facts = pair_of(110, usual(), 108, more);
  facts.ratio = {1.02, 1.01, 1.03};
  const Why why = explain_difference(facts);
  EXPECT_EQ(why.cause, "");
  EXPECT_THAT(why.verdict, AllOf(HasSubstr("The cause is not known, because the ratio and the two times disagree: A "
                                           "took 110.00 us, and B took 108.00 us."),
                                 Not(HasSubstr("accounts")), Not(HasSubstr("do not explain"))));
}

TEST(Why, MoreBytesOfDram) {
  Counters more = usual();
  more[kRead] = 7e8; // 200 us in all
  const Why why = explain_difference(pair_of(110, usual(), 210, more));
  EXPECT_EQ(why.cause, "DRAM");
  ASSERT_FALSE(why.resources.empty());
  EXPECT_EQ(why.resources.front().resource, "DRAM");
  EXPECT_NEAR(why.resources.front().a_us, 100, 1e-9);
  EXPECT_NEAR(why.resources.front().b_us, 200, 1e-9);
  EXPECT_NEAR(why.resources.front().explains, 1, 1e-9);
  EXPECT_EQ(why.verdict,
            "B takes 1.91x the time of A (95 % interval 1.89x to 1.93x). A is bound by DRAM, which works at 90.9 % of "
            "its roof. B is bound by DRAM, which works at 95.2 % of its roof. B moves 2.00x the DRAM bytes, which "
            "accounts for all of the difference. If DRAM no longer limited A, L2 would be the next limit: 50.00 us at "
            "best (2.20x faster).");
}

TEST(Why, TheSlowerOneMayBeA) {
  Counters more = usual();
  more[kInstructions] = 1.6e8; // 200 us
  const Why why = explain_difference(pair_of(220, more, 110, usual()));
  EXPECT_EQ(why.cause, "issue");
  EXPECT_THAT(why.verdict, AllOf(HasSubstr("B takes 0.50x the time of A"), HasSubstr("A is bound by issue"),
                                 HasSubstr("A executes 10.00x the instructions, which accounts for all"),
                                 HasSubstr("If DRAM no longer limited B, L2 would be the next limit: 50.00 us")));
}

TEST(Why, DramAgainstLatency) {
  const Counters a = with_stalls(usual(), {{"long_scoreboard", 60}, {"barrier", 0}, {"selected", 40}});
  const Counters b = with_stalls(usual(), {{"long_scoreboard", 20}, {"barrier", 60}, {"selected", 20}});
  WhyFacts facts = pair_of(105, a, 250, b);
  facts.stall_meanings = {{"barrier", "for other warps"}};
  const Why why = explain_difference(facts);
  EXPECT_EQ(why.a.name, "DRAM");
  EXPECT_EQ(why.b.name, "latency");
  EXPECT_EQ(why.cause, "stalls");
  double explained = 0;
  for (const StallDifference& one : why.stalls) explained += one.explains;
  EXPECT_NEAR(explained, 1, 1e-9);
  EXPECT_EQ(why.stalls.front().reason, "barrier");
  EXPECT_NEAR(why.stalls.front().b_us, 150, 1e-9);
  EXPECT_THAT(why.verdict,
              AllOf(HasSubstr("B is bound by latency: the busiest resource is DRAM, 40.0 % of the time; the most "
                              "frequent stall of its warps is barrier (for other warps), 60.0 % of their cycles."),
                    HasSubstr("Of the difference of 145.00 us, 150.00 us (103.4 %) are longer stalls on barrier (for "
                              "other warps). The DRAM traffic of both configurations is the same within 2 %.")));
}

TEST(Why, TwoStallsTogether) {
  const Counters a = with_stalls(usual(), {{"barrier", 10}, {"wait", 10}, {"drain", 10}, {"selected", 70}});
  const Counters b = with_stalls(usual(), {{"barrier", 25}, {"wait", 22}, {"drain", 13}, {"selected", 40}});
  const Why why = explain_difference(pair_of(200, a, 400, b));
  EXPECT_EQ(why.cause, "stalls");
  EXPECT_THAT(why.verdict, HasSubstr("80.00 us (40.0 %) are longer stalls on barrier and 68.00 us (34.0 %) on wait."));
}

TEST(Why, StallsThatAreNoMoreFrequentAreNoCause) {
  const Counters both = with_stalls(usual(), {{"long_scoreboard", 90}, {"selected", 10}});
  const Why why = explain_difference(pair_of(105, both, 130, both));
  EXPECT_EQ(why.cause, "");
  EXPECT_THAT(why.verdict,
              HasSubstr("The counters do not explain the difference: the work of DRAM accounts for less "
                        "than half of it, and either no two stalls explain it, or other stalls decreased by as much."));
}

TEST(Why, StallsThatOnlyChangedTheirNamesAreNoCause) {
  const Counters a = with_stalls(usual(), {{"long_scoreboard", 80}, {"drain", 10}, {"selected", 10}});
  const Counters b = with_stalls(usual(), {{"long_scoreboard", 30}, {"drain", 60}, {"selected", 10}});
  EXPECT_EQ(explain_difference(pair_of(105, a, 115, b)).cause, "");
}

// If a resource does not limit the slower configuration, its work is an observation and never the cause.
TEST(Why, WorkBesideTheLimitIsOnlyObserved) {
  Counters more = usual();
  more[kSectors] *= 1.5; // 75 us
  const Why why = explain_difference(pair_of(105, usual(), 140, more));
  EXPECT_EQ(why.cause, "");
  EXPECT_THAT(
      why.verdict,
      AllOf(HasSubstr("The counters do not explain the difference"),
            HasSubstr("the stalls of at least one configuration were not counted"),
            HasSubstr(
                "Observed: B moves 1.50x the bytes between the SMs and the L2; this work takes 53.6 % of its time.")));
}

TEST(Why, TimesThatCannotBeDistinguishedHaveNoCause) {
  Counters more = usual();
  more[kRead] = 3.1e8;
  WhyFacts facts = pair_of(110, usual(), 111, more);
  facts.ratio = {1.009, 0.998, 1.02};
  const Why why = explain_difference(facts);
  EXPECT_FALSE(why.distinguished);
  EXPECT_EQ(why.cause, "");
  EXPECT_THAT(why.verdict, AllOf(HasSubstr("(95 % interval 0.998x to 1.020x), so their times cannot be distinguished."),
                                 Not(HasSubstr("accounts"))));
}

TEST(Why, WithoutCountersNothingIsInvented) {
  WhyFacts facts = pair_of(110, usual(), 210, {});
  facts.b.counters.reset();
  facts.cost = CostEstimate{3e8, 1e8, {}};
  const Why why = explain_difference(facts);
  EXPECT_THAT(why.resources, IsEmpty());
  EXPECT_EQ(why.b.name, "");
  EXPECT_THAT(
      why.verdict,
      AllOf(HasSubstr("The limit of B is not known, because nothing was counted (according to the model, the busiest "
                      "resource is DRAM, 47.6 % of the time)."),
            HasSubstr("The cause is not known, because nothing was counted for B.")));
}

TEST(Why, ComparesOnlyWhatWasCountedInTheSameWay) {
  Counters lean = usual(), other = usual();
  lean["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = 1e7; // with conflicts
  other["sm__sass_data_bytes_mem_shared.sum"] = 1e8;            // without
  other.erase("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  other.erase("l1tex__t_bytes.sum");
  other.erase(kInstructions);
  other["smsp__sass_inst_executed.sum"] = 3.2e7; // another name for the same count
  const Why why = explain_difference(pair_of(110, lean, 150, other));
  std::vector<std::string> names;
  for (const ResourceDifference& one : why.resources) names.push_back(one.resource);
  EXPECT_THAT(names, testing::UnorderedElementsAre("DRAM", "L2", "issue"));
  EXPECT_EQ(why.resources.front().resource, "issue");
  EXPECT_EQ(why.resources.front().b_work, 3.2e7);
}

TEST(Why, NamesAResourceCloseBehind) {
  Counters counters = usual();
  counters[kInstructions] = 7.6e7; // 95 us
  const Why why = explain_difference(pair_of(110, counters, 130, counters));
  EXPECT_THAT(why.verdict, HasSubstr("A is bound by DRAM, which works at 90.9 % of its roof, with issue close behind "
                                     "at 86.4 %."));
  EXPECT_THAT(why.verdict, HasSubstr("issue would be the next limit: 95.00 us at best (1.16x faster)"));
}

HotLine hot_line(std::int64_t number, double share, const std::string& stall) {
  return {"kernel.cu", number, "text", 0, 0, share, {{stall, 0.9}, {"wait", 0.1}}};
}

TEST(Why, LinesShareTheTimes) {
  WhyFacts facts = pair_of(100, usual(), 200, usual());
  facts.a.lines = {hot_line(7, 0.8, "barrier"), hot_line(9, 0.2, "drain")};
  EXPECT_THAT(explain_difference(facts).lines, IsEmpty()) << "the other was not sampled";
  facts.b.lines = {hot_line(7, 0.4, "lg_throttle"), hot_line(3, 0.6, "long_scoreboard")};
  const Why why = explain_difference(facts);
  ASSERT_EQ(why.lines.size(), 3U);
  EXPECT_EQ(why.lines[0].line, 3);
  EXPECT_EQ(why.lines[0].a_us, 0);
  EXPECT_NEAR(why.lines[0].b_us, 120, 1e-9);
  EXPECT_NEAR(why.lines[0].explains, 1.2, 1e-9);
  EXPECT_EQ(why.lines[0].a_stall, "");
  EXPECT_EQ(why.lines[0].b_stall, "long_scoreboard");
  EXPECT_EQ(why.lines[1].line, 9);
  EXPECT_NEAR(why.lines[1].explains, -0.2, 1e-9);
  EXPECT_EQ(why.lines[2].line, 7);
  EXPECT_NEAR(why.lines[2].explains, 0, 1e-9);
  EXPECT_EQ(why.lines[2].a_stall, "barrier");
  EXPECT_EQ(why.lines[2].b_stall, "lg_throttle");
}

TEST(Why, LinesThatWereOnlyCountedHaveNoTime) {
  WhyFacts facts = pair_of(100, usual(), 200, usual());
  facts.a.lines = {hot_line(7, 1, "barrier"), {"kernel.cu", 9, "text", 0, 0, 0, {}, {10, 320}}};
  facts.b.lines = {hot_line(7, 1, "barrier")};
  EXPECT_EQ(explain_difference(facts).lines.size(), 1U);
}

TEST(Why, SentencesBeginWithACapital) {
  WhyFacts facts = pair_of(100, usual(), 200, usual());
  facts.a.label = "the winner";
  facts.b.label = "the default";
  EXPECT_THAT(explain_difference(facts).verdict,
              AllOf(testing::StartsWith("The default takes 2.00x the time of the winner"),
                    HasSubstr(". The winner is bound by DRAM"), HasSubstr(". The default is bound by latency")));
}

TEST(LaunchFacts, CountWavesAndOccupancy) {
  LaunchPlan plan;
  plan.name_expressions = {"scale"};
  KernelLaunch& launch = plan.launches.emplace_back();
  launch.name_expression = "scale";
  launch.grid = {500, 2, 1};
  launch.block = {256, 1, 1};
  launch.shared_bytes = 1024;
  KernelResources resources;
  resources.registers = 64;
  resources.static_shared_bytes = 512;
  const auto facts = launch_facts(plan, resources, h200_device().limits);
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].registers, 64);
  EXPECT_EQ(facts[0].shared_bytes, 1536);
  EXPECT_EQ(facts[0].blocks_per_sm, 4); // 65536 registers / (64 * 256)
  EXPECT_EQ(facts[0].occupancy, 0.5);   // 4 * 8 of 64 warps
  EXPECT_NEAR(facts[0].waves, 1000.0 / (4 * 132), 1e-9);
  // It is not known which of the two kernels the figures belong to.
  plan.name_expressions.emplace_back("sum");
  plan.launches.push_back(launch);
  plan.launches.back().name_expression = "sum";
  const auto two = launch_facts(plan, resources, h200_device().limits);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].registers, 0);
  EXPECT_EQ(two[1].waves, 0);
  EXPECT_EQ(two[1].shared_bytes, 1024);
}

} // namespace
} // namespace warptune::report
