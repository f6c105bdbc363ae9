// Winners on terminals that are too narrow for all columns: the configuration is never cut.
#include "cli/best_table.h"
#include "cli/table.h"

#include <gmock/gmock.h>
#include <sstream>

namespace warptune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<BestRecord> winners() {
  BestRecord softmax;
  softmax.kernel = "softmax";
  softmax.problem = "rows=32768,cols=4096;bf16;log=0";
  softmax.device_name = "NVIDIA H200";
  softmax.config = "implementation=registers,THREADS_PER_ROW=128,CLUSTER=1,LOAD_BYTES=16";
  softmax.default_config = "implementation=online,THREADS_PER_ROW=256,CLUSTER=1,LOAD_BYTES=16";
  softmax.median_us = 135.46;
  softmax.default_us = 221.9;
  softmax.certified = true;
  softmax.tie_set = {softmax.config};
  BestRecord sgemm = softmax;
  sgemm.kernel = "sgemm";
  sgemm.problem = "m=2048,n=2048,k=2048;fp32;layout=nn";
  sgemm.config = "BM=128,BN=256,BK=16,TM=16,TN=8,STAGES=2,SPLIT_K=1";
  sgemm.default_config = "BM=128,BN=128,BK=8,TM=16,TN=8,STAGES=2,SPLIT_K=1";
  return {softmax, sgemm};
}

TEST(BestTable, ANarrowTerminalHasTheConfigurationBelow) {
  for (const int width : {80, 120}) {
    const std::string text = render_best(winners(), width, false);
    EXPECT_THAT(text, AllOf(HasSubstr("\n    implementation=registers,THREADS_PER_ROW=128,CLUSTER=1,LOAD_BYTES=16\n"),
                            HasSubstr("\n    BN=256,BK=16\n"), Not(HasSubstr("...")), HasSubstr("135.46 us")))
        << text;
    std::istringstream table(text.substr(0, text.find("\nThe configuration is")));
    for (std::string line; std::getline(table, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(BestTable, ANarrowTerminalNamesTheHiddenColumnsAndTheMedian) {
  EXPECT_THAT(render_best(winners(), 80, false), HasSubstr("\nThe median comes from the finals; "));
  EXPECT_THAT(render_best(winners(), 80, false), AllOf(HasSubstr("\nhidden columns: "), HasSubstr("device; --wide")));
  EXPECT_THAT(render_best(winners(), 80, true), Not(HasSubstr("hidden columns")));
  EXPECT_THAT(render_best(winners(), 0, false), Not(HasSubstr("hidden columns")));
}

TEST(BestTable, ResultsOfSeveralDevicesNameThem) {
  std::vector<BestRecord> both = winners();
  both[1].device_name = "NVIDIA H100 PCIe";
  for (const int width : {80, 120}) {
    const std::string text = render_best(both, width, false);
    EXPECT_THAT(text, AllOf(HasSubstr("NVIDIA H200\n"), HasSubstr("NVIDIA H100 PCIe\n"), Not(HasSubstr("device;")),
                            Not(HasSubstr("...")), HasSubstr("\nhidden columns: ")))
        << text;
    EXPECT_EQ(text.find("\n    on NVIDIA H200\n") != std::string::npos, width == 80) << "below, if it has no column";
  }
}

TEST(BestTable, ResultsOfSeveralObjectivesNameThem) {
  std::vector<BestRecord> both = {winners().front(), winners().front()};
  both[1].objective = Objective::energy;
  both[1].energy_mj = 6;
  for (const int width : {30, 80, 120}) {
    const std::string text = render_best(both, width, false);
    const bool is_below = text.find("\n    objective: energy\n") != std::string::npos;
    EXPECT_EQ(is_below, width < 120) << text;
    EXPECT_THAT(text, AllOf(HasSubstr("objective"), Not(HasSubstr("objective;")), Not(HasSubstr("objective,"))));
  }
  EXPECT_THAT(render_best({both[0]}, 120, false), Not(HasSubstr("objective")));
  EXPECT_THAT(render_best({both[1]}, 120, false), HasSubstr("objective"));
}

TEST(BestTable, ALongConfigurationIsWrappedAndNotCut) {
  std::vector<BestRecord> one = {winners().front()};
  one.front().default_config.clear();
  EXPECT_THAT(render_best(one, 60, false),
              HasSubstr("\n    implementation=registers,THREADS_PER_ROW=128,CLUSTER=1,\n    LOAD_BYTES=16\n"));
}

TEST(BestTable, WhatIsNotWellIsNeverLeftOut) {
  std::vector<BestRecord> one = {winners().front()};
  one.front().certified = false;
  one.front().disqualified = "its results were wrong";
  EXPECT_THAT(render_best(one, 80, false),
              AllOf(HasSubstr("\n    not certified\n"), HasSubstr("\n    re-checked: out: its results were wrong\n")));
}

TEST(BestTable, WideAndPipesHaveTheWholeTable) {
  const std::string piped = render_best(winners(), 0, false);
  EXPECT_THAT(piped, AllOf(HasSubstr("  finals median"), HasSubstr("  re-checked\n"),
                           HasSubstr("BM=128,BN=256,BK=16,TM=16"), Not(HasSubstr("The configuration is shown"))));
  EXPECT_EQ(render_best(winners(), 80, true), piped);
  EXPECT_EQ(render_best(winners(), 400, false), piped);
}

// A configuration of another implementation is shown with all its values, so the note must not say otherwise.
TEST(BestTable, TheNoteSaysWhatIsLeftOut) {
  const std::vector<BestRecord> both = winners();
  EXPECT_THAT(render_best(both, 80, false),
              HasSubstr("\nThe configuration is shown below each result. Values equal to the default are\n"
                        "omitted, except for configurations of another implementation. Use --wide to show\n"
                        "all values.\n"));
  EXPECT_THAT(render_best({both[0]}, 80, false), HasSubstr("\nThe configuration is shown below each result.\n"));
  EXPECT_THAT(render_best({both[1]}, 80, false), HasSubstr("below each result. Values equal to the default are\n"
                                                           "omitted. Use --wide to show all values.\n"));
}

TEST(BestTable, ChangedValues) {
  EXPECT_EQ(changed_values("A=1,B=2", "A=1,B=3"), "B=2");
  EXPECT_EQ(changed_values("A=1,B=2", "A=1,B=2"), "the default configuration");
  EXPECT_EQ(changed_values("A=1", ""), "A=1");
  EXPECT_EQ(changed_values("", ""), "(no parameters)");
}

} // namespace
} // namespace warptune::cli
