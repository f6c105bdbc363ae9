// The tables of compare, recheck, pack and why on terminals that are too narrow for all columns: no line is wider than
// the terminal, nothing is cut, and a hidden column is named.
#include "cli/compare_table.h"
#include "cli/pack_table.h"
#include "cli/verify_table.h"
#include "cli/why_tables.h"
#include "jit/template_store.h"
#include "spec/config.h"
#include "support/paths.h"

#include <gmock/gmock.h>
#include <sstream>

namespace warptune::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kLongKernel = "masked_softmax_backward";
constexpr const char* kLongProblem = "batch=16,heads=32,rows=2048,cols=2048;bf16;causal=1;scale=given";
constexpr const char* kLongDevice = "NVIDIA H100 80GB HBM3";

// Returns the text of the table for this width.
std::string fitted(const Table& table, int width) {
  std::string text = table.render(width);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << text;
  EXPECT_THAT(text, Not(HasSubstr("...")));
  return text;
}

report::ComparedRow compared_on(const std::string& device) {
  report::ComparedRow row;
  row.a.kernel = kLongKernel;
  row.a.problem = kLongProblem;
  row.a.device = device;
  row.a.median_us = 266.72;
  row.b = row.a;
  row.b.median_us = 241.5;
  row.ratio = 0.905;
  row.ratio_low = 0.9;
  row.ratio_high = 0.911;
  row.p_value = 0.0001;
  row.change = report::Change::faster;
  row.differences = {"config ROW_BYTES=256,COLUMNS=8,ORDER=blocks -> ROW_BYTES=128,COLUMNS=4,ORDER=rows",
                     "driver 580.1 -> 590.2"};
  return row;
}

TEST(NarrowTables, CompareMovesTheProblemAndTheOtherChangesBelow) {
  report::Comparison one;
  one.rows = {compared_on(kLongDevice)};
  const Table table = compare_table(one);
  for (const int width : {80, 120})
    EXPECT_THAT(fitted(table, width),
                AllOf(HasSubstr(std::string("\n    problem: ") + kLongProblem + "\n"), HasSubstr("; driver 580.1 ->"),
                      HasSubstr("\n    other changes: config ROW_BYTES=256,COLUMNS=8,ORDER=blocks ->"),
                      HasSubstr("ORDER=rows;"), HasSubstr("266.72 us  241.50 us  0.905x"), Not(HasSubstr("NVIDIA"))));
  EXPECT_THAT(table.hidden(80), ElementsAre("device", "p"));
  EXPECT_THAT(table.hidden(0), IsEmpty());
  EXPECT_THAT(table.render(0), AllOf(HasSubstr(kLongProblem), HasSubstr(kLongDevice), HasSubstr("  <0.001  faster")));
}

TEST(NarrowTables, CompareNamesDevicesThatDiffer) {
  report::Comparison both;
  both.rows = {compared_on(kLongDevice), compared_on("NVIDIA H200")};
  for (const int width : {80, 120})
    EXPECT_THAT(fitted(compare_table(both), width), AllOf(HasSubstr(kLongDevice), HasSubstr("NVIDIA H200")));
  EXPECT_THAT(compare_table(both).hidden(80), ElementsAre("p"));
}

TEST(NarrowTables, RecheckMovesProblemsAndReasonsBelow) {
  RowReport holds;
  holds.row.kernel = "gemm";
  holds.row.problem = "m=128,n=128,k=64,batch=256;bf16;layout=nt";
  holds.row.device_backend = "replay";
  holds.row.median_us = 9.31;
  holds.check.status = CheckStatus::holds;
  holds.check.median_us = 8.67;
  const std::string narrow = fitted(verify_table({holds}), 80);
  EXPECT_THAT(narrow, AllOf(HasSubstr("holds (recorded, not timed)\n    m=128,n=128,k=64,batch=256;bf16;layout=nt\n"),
                            HasSubstr("9.31 us   8.67 us  -6.9 %")));
  EXPECT_THAT(fitted(verify_table({holds}), 120), HasSubstr("gemm    m=128,n=128,k=64,batch=256;bf16;layout=nt  "));

  RowReport stale = holds;
  stale.row.kernel = kLongKernel;
  stale.row.problem = kLongProblem;
  stale.check.status = CheckStatus::not_timed;
  stale.check.median_us = 0;
  stale.check.stale = "driver 580.159.04 then, 590.48.01 now; compiler NVRTC 13.0 then, NVRTC 13.1 now";
  for (const int width : {80, 120})
    EXPECT_THAT(fitted(verify_table({holds, stale}), width),
                AllOf(HasSubstr("stale, not timed"), HasSubstr("reason: driver 580.159.04 then, "),
                      HasSubstr(kLongProblem), HasSubstr("now\n")));
  EXPECT_THAT(verify_table({holds, stale}).hidden(80), IsEmpty());
  EXPECT_THAT(verify_table({holds, stale}).render(0), HasSubstr("stored  recorded")) << "the times of a recording";
  EXPECT_THAT(verify_table({stale}).render(0), HasSubstr("stored  now")) << "a column without times is of no recording";
}

TEST(NarrowTables, PackHidesFiguresAndKeepsVariantsAndDevices) {
  PackedVariant variant;
  variant.rule.kernel = kLongKernel;
  variant.rule.variant = "bf16;causal=1;scale=given;layout=interleaved";
  variant.rule.device_name = kLongDevice;
  variant.rule.shapes = 1300;
  variant.rule.configs = 18;
  variant.rule.method = "greedy";
  variant.rule.worst_loss = 0.029;
  variant.rule.rule_loss = PackRule::Loss{0.012, 0.245};
  variant.untuned = {2048, 2048, 1530};
  variant.cubins = 128;
  variant.bytes = 250 << 20;
  const Table table = pack_table({variant});
  for (const int width : {80, 120})
    EXPECT_THAT(fitted(table, width), AllOf(HasSubstr("bf16;causal=1;scale=given;layout=interleaved"),
                                            HasSubstr(kLongDevice), HasSubstr("2.9 %"), HasSubstr("100.0 %")));
  EXPECT_THAT(fitted(table, 80), HasSubstr("\n    variant: bf16;causal=1;"));
  EXPECT_THAT(table.hidden(80), ElementsAre("configs", "guarded", "untuned mean", "untuned worst", "as chosen"));
  EXPECT_THAT(table.render(0), AllOf(HasSubstr("18 (greedy)"), HasSubstr("24.5 %"), HasSubstr("74.7 %")));
  for (const int width : {80, 120}) fitted(pack_table({variant.rule}, {variant.untuned}), width);
}

TEST(NarrowTables, WhyMovesCallsStallsAndSourceLinesBelow) {
  const KernelSpec spec = TemplateStore({}).load((test::data_dir() / "specs" / "scale").string()).value().spec;
  WhyPair pair;
  pair.a.config.config = parse_config(spec, "THREADS=64,VEC=1").value();
  pair.b.config.config = parse_config(spec, "THREADS=64,VEC=2").value();
  pair.a.launches.emplace_back();
  pair.b.launches.emplace_back();
  for (WhySideData* side : {&pair.a, &pair.b})
    side->library_calls = {"cublasLtMatmul", "cublasLtMatmul", "cublasLtMatmul"};
  report::Why why;
  why.resources = {{"L1/shared memory", "instructions", 294e6, 301e6, 281.23, 288.07, true, 0.21}};
  why.stalls = {{"long_scoreboard", 100.5, 180.25, 0.6}, {"issuing", 50.25, 60.5, 0.1}};
  why.lines = {{"common/vector_row.cuh", 1234,
                "const float value = static_cast<float>(row[i * stride + offset]) * scale;", 100.5, 180.25, 0.6,
                "long_scoreboard", "math_pipe_throttle"}};
  const auto text_of = [&](int width) {
    std::string text;
    for (const Table& table : why_tables(spec, pair, why, width))
      text += width > 0 ? fitted(table, width) : table.render(0);
    return text;
  };
  EXPECT_THAT(text_of(80), AllOf(HasSubstr("\n    A: cublasLtMatmul, cublasLtMatmul, cublasLtMatmul\n"),
                                 HasSubstr("\n    A stalls: long_scoreboard\n    B stalls: math_pipe_throttle\n"),
                                 HasSubstr("\n    issued an instruction, or could have\n"), HasSubstr("scale;\n")));
  EXPECT_THAT(text_of(120),
              AllOf(HasSubstr("library calls            cublasLtMatmul, cublasLtMatmul, cublasLtMatmul  "),
                    HasSubstr("  long_scoreboard  math_pipe_throttle\n"), HasSubstr("  counted\n")));
  EXPECT_THAT(text_of(0), AllOf(HasSubstr("  long_scoreboard  math_pipe_throttle  const float value"),
                                HasSubstr("could have\n"), HasSubstr("  1.02  ")));
}

} // namespace
} // namespace warptune::cli
