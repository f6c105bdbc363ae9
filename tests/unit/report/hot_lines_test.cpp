// Samples of instructions by source line.
#include "report/hot_lines.h"

#include <gmock/gmock.h>

namespace warptune::report {
namespace {

SourceFiles sources() {
  return {{{"online/kernel.cu", "first\n  second;\n\tthird; // the hot one\n"},
           {"kernel.cu", "another\n"},
           {"row.cuh", "helper\n"}}};
}

PcSamples samples() {
  PcSamples all;
  all.instructions = {
      {"scale",
       0x00,
       "/tmp/build/online/kernel.cu",
       3,
       {{"long_scoreboard", 40}, {"selected", 10}},
       {{"long_scoreboard", 30}}},
      {"scale", 0x10, "/tmp/build/online/kernel.cu", 2, {{"wait", 5}}, {}},
      {"scale", 0x20, "/tmp/build/row.cuh", 1, {{"barrier", 20}}, {{"barrier", 20}}},
      {"scale", 0x30, "/tmp/build/online/kernel.cu", 3, {{"barrier", 30}}, {{"barrier", 5}}},
      {"sum", 0x00, "", 0, {{"wait", 15}}, {}},
      {"sum", 0x10, "/usr/include/some_row.cuh", 9, {{"wait", 80}}, {}},
  };
  return all;
}

TEST(HotSpots, SumInstructionsOfALine) {
  const PcSamples all = samples();
  const HotSpots spots = find_hot_spots(all, sources());
  EXPECT_EQ(spots.samples, 200);
  EXPECT_NEAR(spots.placed, 185.0 / 200, 1e-12);
  ASSERT_EQ(spots.lines.size(), 5U);
  // Two instructions of one line: 50 + 30.
  const auto hot = std::find_if(spots.lines.begin(), spots.lines.end(),
                                [](const HotLine& line) { return line.file == "online/kernel.cu" && line.line == 3; });
  ASSERT_NE(hot, spots.lines.end());
  EXPECT_EQ(hot->samples, 80);
  EXPECT_EQ(hot->not_issued, 35);
  EXPECT_EQ(hot->text, "third; // the hot one");
  EXPECT_NEAR(hot->share, 0.4, 1e-12);
  EXPECT_EQ(hot->stalls, (StallShares{{"long_scoreboard", 0.5}, {"barrier", 0.375}, {"selected", 0.125}}));
  for (std::size_t i = 0; i + 1 < spots.lines.size(); ++i)
    EXPECT_GE(spots.lines[i].samples, spots.lines[i + 1].samples);
}

TEST(HotSpots, NameFilesAsTheKernelDoes) {
  const PcSamples all = samples();
  const HotSpots spots = find_hot_spots(all, sources());
  std::vector<std::string> files;
  for (const HotInstruction& one : spots.instructions) files.push_back(one.file);
  // some_row.cuh is not row.cuh, and the longest matching name wins.
  EXPECT_EQ(files, (std::vector<std::string>{"/usr/include/some_row.cuh", "online/kernel.cu", "online/kernel.cu",
                                             "row.cuh", "", "online/kernel.cu"}));
  EXPECT_EQ(spots.instructions.front().at, &all.instructions.back());
  EXPECT_EQ(spots.instructions.front().samples, 80);
  EXPECT_EQ(spots.lines.front().text.empty(), spots.lines.front().file == "/usr/include/some_row.cuh");
}

TEST(HotSpots, OfNoSamplesAreNone) {
  const HotSpots spots = find_hot_spots({}, sources());
  EXPECT_EQ(spots.samples, 0);
  EXPECT_TRUE(spots.lines.empty());
  EXPECT_EQ(spots.placed, 0);
}

} // namespace
} // namespace warptune::report
