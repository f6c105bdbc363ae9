// Operators that select or move elements give the results of their references on an emulated device, and the references
// match PyTorch.
#include "support/emulated_operator.h"
#include "support/emulated_reference.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace warptune::test {
namespace {

// Elements of x by row and column.
using Element = double (*)(std::int64_t row, std::int64_t column);
EmulatedOperator::Change elements(Element element) {
  return [element](const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
    const std::int64_t cols = problem.dims[1];
    for (std::int64_t i = 0; i < buffer.count && buffer.name == "x"; ++i)
      put(data, buffer.dtype, i, encode_number(buffer.dtype, element(i / cols, i % cols)));
  };
}

// Data with many elements at the bound, in any order: equal ones, rising and falling rows, large ones in the same place
// of each vector, rows with few different numbers.
TEST(TopK, givesTheResultsOfTheReference) {
  EmulatedOperator tested("top_k");
  tested.add_ragged(16'000);
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(elements([](std::int64_t row, std::int64_t) { return row % 3 == 0 ? -kInfinity : 1.0; })), "");
  EXPECT_EQ(tested.check(elements([](std::int64_t, std::int64_t column) { return static_cast<double>(column); })), "");
  EXPECT_EQ(tested.check(elements([](std::int64_t, std::int64_t column) { return -static_cast<double>(column); })), "");
  EXPECT_EQ(tested.check(elements([](std::int64_t, std::int64_t column) {
    return column % 256 < 16 ? 1 + static_cast<double>(column * 7919 % 1009) : 0.0;
  })),
            "");
  EXPECT_EQ(tested.check(elements([](std::int64_t row, std::int64_t column) {
    const double numbers[] = {kNaN, kInfinity, -kInfinity, 0.0, -0.0, 2, -3};
    return numbers[(column * column + row) % 7];
  })),
            "");
  EXPECT_EQ(tested.check(elements([](std::int64_t row, std::int64_t column) {
    return column % 5 == row % 5 ? kNaN : static_cast<double>(column % 3);
  })),
            "");
  EXPECT_GT(tested.checked, 8);
  std::printf("top_k: %d results checked\n", tested.checked);
}

class Copies : public testing::TestWithParam<const char*> {};

TEST_P(Copies, giveTheResultsOfTheReference) {
  EmulatedOperator tested(GetParam());
  tested.add_ragged(40'000, "LOADS=shifted,BYTES=16,UNROLL=2,BLOCK=128,STORES=plain");
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_GT(tested.checked, 16);
  std::printf("%s: %d results checked\n", GetParam(), tested.checked);
}

INSTANTIATE_TEST_SUITE_P(All, Copies, testing::Values("slice", "concat"),
                         [](const auto& tested) { return tested.param; });

// Whole vectors of x, also where the last one reaches beyond the end of the buffer: with a step, the last element of
// the slice is the last of the buffer.
TEST(Slice, picksElementsFromWholeVectors) {
  EmulatedOperator tested("slice");
  for (const auto& [shape, dtype] :
       std::vector<std::pair<std::string, std::string>>{{"outer=9,n=96,count=40,step=2,from=1", "bf16"},
                                                        {"outer=5,n=1024,count=512,step=2", "fp16"},
                                                        {"outer=3,n=64,count=12,step=4,from=18", "fp16"},
                                                        {"outer=1,n=4099,count=1024,step=4", "fp32"},
                                                        {"outer=17,n=40,count=20,step=2,inner=2", "fp16"},
                                                        {"outer=2,n=8,count=4,step=2", "fp32"},
                                                        {"outer=1,n=8,count=4,step=2,from=1", "bf16"},
                                                        {"outer=7,n=64,count=8,step=8,from=7", "bf16"}}) {
    std::vector<std::string> configs = {"LOADS=picked,BYTES=16,UNROLL=1,BLOCK=128,STORES=streaming"};
    if (shape.find("n=1024") != std::string::npos)
      configs.push_back("LOADS=picked,BYTES=16,UNROLL=4,BLOCK=128,STORES=plain");
    tested.add(make_problem(tested.spec(), shape, dtype, {}).value(), configs);
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.checked, 9);
}

// In the order of the result, with vectors of 16 to 2 bytes.
TEST(Concat, collectsTilesOfTheResult) {
  EmulatedOperator tested("concat");
  for (const auto& [shape, dtype] :
       std::vector<std::pair<std::string, std::string>>{{"outer=61,n0=64,n1=32,n2=16,n3=8", "fp32"},
                                                        {"outer=33,n0=500,n1=504", "bf16"},
                                                        {"outer=9,n0=3,n1=5,n2=7,inner=24", "bf16"},
                                                        {"outer=9,n0=3,n1=5,n2=7,n3=1,inner=13", "fp16"},
                                                        {"outer=1,n0=4096,n1=512", "bf16"}}) {
    tested.add(make_problem(tested.spec(), shape, dtype, {}).value(),
               {"LOADS=ordered,BYTES=16,UNROLL=1,BLOCK=128,STORES=streaming",
                "LOADS=ordered,BYTES=16,UNROLL=4,BLOCK=128,STORES=plain"});
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.checked, 10);
}

// x[:, 1:6:2] of two rows of six pairs, and these elements put into zeros; torch.cat of one, two and three columns.
TEST(CopiesOfPyTorch, areThoseOfPyTorch) {
  std::vector<double> x(24);
  std::iota(x.begin(), x.end(), 0);
  const std::string shape = "outer=2,n=6,count=3,inner=2,from=1,step=2";
  const std::vector<double> sliced = {2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23};
  EmulatedReference from("slice", shape, {}), into("slice", shape, {"into=1"}),
      parts("concat", "outer=2,n0=2,n1=1,n2=3", {});
  EXPECT_EQ(from.results({{"x", x}}).at("y"), sliced);
  const std::vector<double> target = into.results({{"x", sliced}, {"target", std::vector<double>(24)}}).at("target");
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(target[i], i / 2 % 2 == 1 ? x[i] : 0) << i;
  EXPECT_EQ(parts.results({{"x0", {1, 2, 7, 8}}, {"x1", {3, 9}}, {"x2", {4, 5, 6, 10, 11, 12}}}).at("y"),
            (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

// torch.topk treats NaN as the largest number. It leaves the order of equal elements open; warptune keeps that of the
// row.
TEST(TopK, orderIsThatOfPyTorchAndEqualElementsKeepTheirs) {
  const Values inputs{{"x", {2, kNaN, -1, 2, -kInfinity, kNaN, 2, -1}}};
  EmulatedReference largest("top_k", "rows=1,cols=8,k=5", {}), smallest("top_k", "rows=1,cols=8,k=8", {"largest=0"});
  const Values first = largest.results(inputs), last = smallest.results(inputs);
  EXPECT_EQ(first.at("indices"), (std::vector<double>{1, 5, 0, 3, 6}));
  EXPECT_EQ(last.at("indices"), (std::vector<double>{4, 2, 7, 0, 3, 6, 1, 5}));
  EXPECT_TRUE(std::isnan(first.at("values")[1]));
  EXPECT_EQ(first.at("values")[4], 2);
  EXPECT_EQ(last.at("values")[0], -kInfinity);
}

} // namespace
} // namespace warptune::test
