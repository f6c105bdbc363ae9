#include "cli/table.h"

#include <gmock/gmock.h>
#include <sstream>
#include <utility>
#include <vector>

namespace warptune::cli {
namespace {

TEST(Table, AlignsColumnsAndLeavesNoTrailingBlanks) {
  Table table({left("kernel"), right("median"), left("device")});
  table.add({"axpy", "9.50 us", "H200"});
  table.add({"softmax", "150.25 us", "B"});
  EXPECT_EQ(table.render(0), "kernel      median  device\n"
                             "axpy       9.50 us  H200\n"
                             "softmax  150.25 us  B\n");
}

TEST(Table, SentencesGoBelowTheirRowsAndAreNotCut) {
  Table table({left("param"), right("default"), whole("meaning")});
  table.add({"WARPS", "4", "warps of a block, which share a row"});
  table.add({"VEC", "1", ""});
  EXPECT_EQ(table.render(30), "param  default\n"
                              "WARPS        4\n"
                              "    warps of a block, which\n"
                              "    share a row\n"
                              "VEC          1\n");
  EXPECT_EQ(table.render(60), table.render(0)) << "beside, where there is room";
}

TEST(Table, CutsOnlyColumnsThatMayShrink) {
  Table table({left("name"), text("evidence")});
  table.add({"a_name_that_stays_whole", "an explanation that goes on and on"});
  const std::string narrow = table.render(45);
  std::istringstream lines(narrow);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 45U) << line;
  EXPECT_NE(narrow.find("a_name_that_stays_whole"), std::string::npos);
  EXPECT_NE(narrow.find("..."), std::string::npos);
  EXPECT_NE(table.render(0).find("goes on and on"), std::string::npos) << "a pipe gets everything";
}

TEST(Table, TooNarrowATerminalStillShowsAllColumns) {
  Table table({left("name"), text("evidence")});
  table.add({"0123456789", "0123456789abcdef"});
  EXPECT_NE(table.render(5).find("0123456789  012345678..."), std::string::npos) << table.render(5);
}

TEST(Facts, AreWrappedAtCommasBelowTheirValue) {
  const std::vector<std::pair<std::string, std::string>> facts = {{"best", "THREADS=128,VECTOR=4,ORDER=1,HINT=stream"},
                                                                  {"default", "9.50 us"}};
  EXPECT_EQ(render_facts({{"best", "a value of words without commas"}}, 32),
            "  best  a value of words without\n        commas\n")
      << "and no blank at an end";
  EXPECT_EQ(render_facts(facts), "  best     THREADS=128,VECTOR=4,ORDER=1,HINT=stream\n  default  9.50 us\n");
  EXPECT_EQ(render_facts(facts, 36), "  best     THREADS=128,VECTOR=4,\n"
                                     "           ORDER=1,HINT=stream\n"
                                     "  default  9.50 us\n");
  EXPECT_NE(render_facts(facts, 5).find("\n           ORDER=1,"), std::string::npos) << "never narrower than is of use";
}

TEST(Table, LeavesOutColumnsBeforeItCutsOne) {
  Table table({text("problem"), right("best"), left_out(2, left("state")), left_out(1, text("config"))});
  table.add({"m=4096,n=4096", "9.50 us", "finished", "THREADS=64,VEC=1"});
  EXPECT_NE(table.render(60).find("config"), std::string::npos);
  EXPECT_EQ(table.render(40), "problem           best  state\n"
                              "m=4096,n=4096  9.50 us  finished\n");
  EXPECT_EQ(table.render(30), "problem           best\n"
                              "m=4096,n=4096  9.50 us\n");
  EXPECT_NE(table.render(21).find("m=4096,n=...  9.50 us\n"), std::string::npos) << table.render(21);
}

TEST(Table, MovesColumnsBelowTheirRowsInTheirTurn) {
  Table table(
      {left("kernel"), left_out(2, whole("problem")), left_out(1, left("device")), right("time"), whole("reason")});
  table.add({"axpy", "n=65536;fp32", "H200", "9.50 us", ""});
  table.add({"axpy", "n=1048576;fp32", "H200", "150.25 us", "too slow"});
  EXPECT_EQ(table.render(45), "kernel  problem         device       time\n"
                              "axpy    n=65536;fp32    H200      9.50 us\n"
                              "axpy    n=1048576;fp32  H200    150.25 us\n"
                              "    too slow\n");
  EXPECT_EQ(table.render(36), "kernel  problem              time\n"
                              "axpy    n=65536;fp32      9.50 us\n"
                              "axpy    n=1048576;fp32  150.25 us\n"
                              "    too slow\n");
  EXPECT_EQ(table.render(20), "kernel       time\n"
                              "axpy      9.50 us\n"
                              "    problem:\n"
                              "    n=65536;fp32\n"
                              "axpy    150.25 us\n"
                              "    problem:\n"
                              "    n=1048576;fp32\n"
                              "    reason: too slow\n");
  EXPECT_THAT(table.hidden(20), testing::ElementsAre("device"));
}

TEST(Table, AMovedColumnNeedsItsTitleOnlyBesideAnother) {
  Table table({left("kernel"), left_out(1, whole("problem")), right("time"), whole("reason")});
  table.add({"axpy", "n=65536;fp32", "9.50 us", ""});
  EXPECT_EQ(table.render(20), "kernel     time\n"
                              "axpy    9.50 us\n"
                              "    n=65536;fp32\n");
}

TEST(Table, NamesTheColumnsThatItHides) {
  Table table({left("kernel"), left_out(1, left("device")), whole("meaning"), left_out(2, left("started"))});
  table.add({"axpy", "NVIDIA H200", "y = a * x + y", "2026-01-01"});
  EXPECT_THAT(table.hidden(0), testing::IsEmpty());
  EXPECT_THAT(table.hidden(80), testing::IsEmpty());
  EXPECT_THAT(table.hidden(20), testing::ElementsAre("device")) << "a sentence below its row is not hidden";
  EXPECT_THAT(table.hidden(10), testing::ElementsAre("device", "started"));
  EXPECT_EQ(hidden_note(table.hidden(10)), "hidden columns: device, started; --wide shows them");
  EXPECT_EQ(hidden_note({}), "");
}

TEST(Table, BriefIsOneLineOfAtMost160) {
  EXPECT_EQ(brief("\n it broke\x1b\nand more"), "it broke\\x1b");
  EXPECT_EQ(display_width(brief(std::string(500, 'x'))), 160U);
}

TEST(Table, CountsCodePoints) {
  EXPECT_EQ(display_width("\xc2\xb5s"), 2U);
  EXPECT_EQ(shorten("\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5", 5), "\xc2\xb5\xc2\xb5...");
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("abcdef", 2), "..");
  EXPECT_EQ(shorten("abcdef", 0), "");
  EXPECT_EQ(shorten("abcdef", 4), "a...");
}

TEST(Table, CellsFromOutsideCannotReachTheTerminal) {
  Table table({left("name")});
  table.add({"evil\x1b[2J\nname"});
  EXPECT_EQ(table.render(0), "name\nevil\\x1b[2J\\nname\n");
}

TEST(Facts, AlignsValues) {
  EXPECT_EQ(render_facts({{"best", "a"}, {"roofline", "b"}}), "  best      a\n  roofline  b\n");
}

} // namespace
} // namespace warptune::cli
