// The row operators, reductions, quantisation and permutes give the results of their references on a device that the
// host emulates: the only test of their numbers on a machine without a GPU.
#include "support/emulated_operator.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace warptune::test {
namespace {

using testing::HasSubstr;

// A row of minus infinity, rows with one NaN or infinity, and a row of zeros.
void put_special_values(unsigned char* data, DType dtype, std::int64_t rows, std::int64_t cols) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (std::int64_t c = 0; c < cols; ++c) put(data, dtype, c, encode_number(dtype, -infinity));
  const double ones[] = {std::nan(""), infinity, -infinity};
  for (std::int64_t row = 1; row < std::min<std::int64_t>(rows, 4); ++row)
    put(data, dtype, row * cols + cols / 2, encode_number(dtype, ones[row - 1]));
  for (std::int64_t c = 0; rows > 4 && c < cols; ++c) put(data, dtype, 4 * cols + c, 0);
}

void put_rows(const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
  if (buffer.name == "x" || buffer.name == "dy" || buffer.name == "logits")
    put_special_values(data, buffer.dtype, problem.dims[0], problem.dims[1]);
}

// Logits whose spacing in fp32 exceeds 1 by far, with a row of equal ones, and a row that a mask of the lowest number
// hides entirely.
void put_large_logits(const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
  const std::int64_t rows = problem.dims[0], cols = problem.dims[1];
  const double lowest = buffer.dtype == DType::fp16 ? -65504.0 : buffer.dtype == DType::bf16 ? -3.3895e38 : -3.4028e38;
  if (buffer.name == "mask" && buffer.dtype != DType::boolean)
    for (std::int64_t c = 0; c < cols; ++c) put(data, buffer.dtype, c, encode_number(buffer.dtype, lowest));
  if (buffer.name != "x" && buffer.name != "logits") return;
  const double unit = buffer.dtype == DType::fp16 ? 64.0 : 1e30;
  for (std::int64_t i = cols; i < rows * cols; ++i) {
    const std::int64_t value = i / cols == 1 ? 300 : i * 7919 % 601 - 300;
    put(data, buffer.dtype, i, encode_number(buffer.dtype, unit * static_cast<double>(value)));
  }
}

// Equal logits, beside which the logarithm of their number is less than the spacing of fp32, or not much more.
void put_equal_logits(const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
  if (buffer.name != "logits") return;
  const double value = buffer.dtype == DType::fp16 ? 65504.0 : 0x1p25;
  for (std::int64_t i = 0; i < problem.dims[0] * problem.dims[1]; ++i)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, value));
}

class EmulatedRows : public testing::TestWithParam<const char*> {};

TEST_P(EmulatedRows, giveTheResultsOfTheReference) {
  EmulatedOperator tested(GetParam());
  tested.add_ragged();
  // Rows of one element, so all results are NaN: a suite cannot hold it, because trials need a finite value.
  if (tested.spec().name == "reduce")
    tested.add(make_problem(tested.spec(), "outer=5,n=1,inner=3", "fp32", {"op=variance"}).value(), 0);
  Shape shape = tested.spec().suites.at("ragged").front().shape; // a row long enough for a cluster to share
  shape[0] = 2;
  shape[1] = 8192;
  tested.add(tested.problem_of(shape, DType::bf16, {}), 1, true);
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_rows), "") << "with NaN and infinities";
  EXPECT_GT(tested.checked, 8);
  std::printf("%s: %d results checked\n", GetParam(), tested.checked);
}

class EmulatedRowRings : public testing::TestWithParam<const char*> {};

// The device has three multiprocessors, so one or two clusters work on many rows, with a ring shorter than the rows.
TEST_P(EmulatedRowRings, ofClustersGiveTheResultsOfTheReference) {
  EmulatedOperator tested(GetParam());
  const auto add = [&](const char* shape, const char* dtype, const std::vector<std::string>& named,
                       const std::vector<std::string>& configs) {
    std::vector<std::string> texts;
    for (const std::string& config : configs) texts.push_back("implementation=ring,ROWS_PER_BLOCK=1," + config);
    std::vector<std::string> flags;
    for (const std::string& flag : named) // those that the operator has
      for (const Flag& own : tested.spec().flags)
        if (flag.starts_with(own.name + "=")) flags.push_back(flag);
    tested.add(make_problem(tested.spec(), shape, dtype, flags).value(), texts);
  };
  add("rows=9,cols=16416", "bf16", {"weight=1", "bias=1", "stats=1"},
      {"THREADS_PER_ROW=256,CLUSTER=2,STAGES=2,BLOCKS_PER_SM=1",
       "THREADS_PER_ROW=512,CLUSTER=2,STAGES=3,BLOCKS_PER_SM=1"});
  add("rows=6,cols=32768", "fp16", {"norm=rms", "weight=1", "residual=1", "log=1"},
      {"THREADS_PER_ROW=256,CLUSTER=4,STAGES=2,BLOCKS_PER_SM=1"});
  add("rows=5,cols=32832", "fp32", {"bias=1"},
      {"THREADS_PER_ROW=512,CLUSTER=8,STAGES=2,BLOCKS_PER_SM=1",
       "THREADS_PER_ROW=1024,CLUSTER=8,STAGES=3,BLOCKS_PER_SM=1"});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_rows), "") << "with NaN and infinities";
  EXPECT_EQ(tested.checked, 10);
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedRowRings,
                         testing::Values("row_norm", "row_norm_backward", "masked_softmax", "masked_softmax_backward"),
                         [](const auto& tested) { return tested.param; });

// Short rows of x and of y, whose lengths are odd, even, and those of words; several blocks, of which the last has few
// rows.
TEST(Permute, movesShortRowsAsOneRun) {
  EmulatedOperator tested("permute");
  for (const auto& [shape, dtype] :
       std::vector<std::pair<std::string, std::string>>{{"rows=328,cols=21,batch=2", "bf16"},
                                                        {"rows=49,cols=200,batch=3", "fp16"},
                                                        {"rows=200,cols=36", "bf16"},
                                                        {"rows=13,cols=264,batch=2", "fp32"},
                                                        {"rows=200,cols=17,run=2", "fp16"}})
    tested.add(make_problem(tested.spec(), shape, dtype, {}).value(),
               {"implementation=flat,LONG_BYTES=128,THREADS=64,HINT=0",
                "implementation=flat,LONG_BYTES=256,THREADS=128,HINT=1"});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.checked, 10);
}

// `small`: vectors and groups of columns of each size, rows of y that allow only narrow vectors, edges, matrices and
// runs.
TEST(Permute, gathersSmallProblems) {
  EmulatedOperator tested("permute");
  const auto add = [&](const char* shape, const char* dtype, const std::vector<std::string>& texts) {
    std::vector<std::string> configs;
    for (const std::string& text : texts) configs.push_back("implementation=small," + text);
    tested.add(make_problem(tested.spec(), shape, dtype, {}).value(), configs);
  };
  add("rows=264,cols=37,batch=3", "bf16",
      {"BYTES=16,ACROSS=16,THREADS=64", "BYTES=8,ACROSS=32,THREADS=128", "BYTES=4,ACROSS=16,THREADS=256"});
  add("rows=42,cols=5,batch=2", "fp16", {"BYTES=4,ACROSS=8,THREADS=64"});
  add("rows=44,cols=35", "fp32", {"BYTES=16,ACROSS=8,THREADS=64", "BYTES=8,ACROSS=32,THREADS=64"});
  add("rows=33,cols=19,batch=2,run=4", "bf16", {"BYTES=16,ACROSS=4,THREADS=128"});
  add("rows=37,cols=3,batch=2,run=24", "bf16", {"BYTES=16,ACROSS=16,THREADS=64"});
  add("rows=50,cols=4,run=9", "fp16", {"BYTES=16,ACROSS=16,THREADS=256"});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.checked, 9);
}

// Several pieces of a strip, one piece longer than its ring, and both.
TEST(Reduce, mergesPiecesOfStrips) {
  EmulatedOperator tested("reduce");
  const auto add = [&](const char* shape, const char* dtype, const char* op, const std::string& config) {
    tested.add(make_problem(tested.spec(), shape, dtype, {std::string("op=") + op}).value(),
               {"implementation=strips," + config});
  };
  const std::string pieces = "THREADS_ACROSS=16,BLOCKS_PER_SM=4", long_strip = "THREADS_ACROSS=32,BLOCKS_PER_SM=2",
                    long_pieces = "THREADS_ACROSS=256,BLOCKS_PER_SM=1";
  for (const char* op : {"argmin", "mean"}) add("outer=1,n=1100,inner=24", "bf16", op, pieces);
  for (const char* op : {"argmax", "variance"}) {
    add("outer=6,n=231,inner=68", "fp32", op, long_strip);
    add("outer=1,n=2101,inner=516", "fp32", op, long_pieces);
  }
  add("outer=6,n=231,inner=128", "fp32", "sum", long_strip);
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_rows), "") << "with NaN and infinities";
  EXPECT_EQ(tested.checked, 14);
}

// Long sums of equal elements, whose additions round in the same direction. The configurations are those with the
// longest chains of additions in a thread; longer ones must be invalid.
TEST(Reduce, addsManyEqualElementsAccurately) {
  EmulatedOperator tested("reduce");
  int valid = 0;
  const auto add = [&](const char* shape, const char* op, const std::vector<std::string>& configs) {
    const Problem problem = make_problem(tested.spec(), shape, "fp32", {std::string("op=") + op}).value();
    std::vector<std::string> allowed;
    for (const std::string& config : configs)
      if (!check_config(tested.spec(), problem, small_h200(), parse_config(tested.spec(), config).value()))
        allowed.push_back(config);
    valid += static_cast<int>(allowed.size());
    tested.add(problem, allowed);
  };
  const auto columns = [](int piece) {
    return fmt::format("implementation=columns,THREADS_ACROSS=128,THREADS=128,PIECE={},BATCH=4,LOAD_BYTES=16", piece);
  };
  for (const char* op : {"sum", "l1_norm"}) {
    add("outer=1,n=49152,inner=4", op, {"implementation=strips,THREADS_ACROSS=16,BLOCKS_PER_SM=1"});
    add("outer=1,n=4100,inner=65", op, {columns(64), columns(128), columns(256), columns(1024), columns(4096)});
    add("outer=5,n=8192", op,
        {"implementation=rows,THREADS_PER_ROW=8,ROWS_PER_BLOCK=4,PIECE_KIB=64,BATCH=1,LOAD_BYTES=16",
         "implementation=rows,THREADS_PER_ROW=16,ROWS_PER_BLOCK=2,PIECE_KIB=64,BATCH=1,LOAD_BYTES=16"});
  }
  EXPECT_EQ(valid, 8);
  tested.build();
  for (const double element : {1.02610016, 1.5, 1.99530017})
    EXPECT_EQ(tested.check([&](const BufferPlan& buffer, const Problem&, unsigned char* data) {
      for (std::int64_t i = 0; buffer.name == "x" && i < buffer.count; ++i)
        put(data, buffer.dtype, i, encode_number(buffer.dtype, element));
    }),
              "")
        << element;
  EXPECT_EQ(tested.checked, 3 * valid);
}

// All numbers of the narrow types, in vectors of each size; blocks that share a row, and threads with several batches.
TEST(Dequantise, widensAllNumbers) {
  EmulatedOperator tested("dequantise");
  for (const char* from : {"int8", "e4m3", "e5m2"})
    for (const char* dtype : {"fp32", "bf16", "fp16"})
      for (const char* shape : {"rows=3,cols=1024", "rows=3,cols=1027"})
        tested.add(make_problem(tested.spec(), shape, dtype, {std::string("from=") + from}).value(),
                   {"THREADS_PER_ROW=64,ROWS_PER_BLOCK=1,BATCH=1,STORE_BYTES=16,SHARE_ROWS=1",
                    "THREADS_PER_ROW=64,ROWS_PER_BLOCK=1,BATCH=1,STORE_BYTES=16,SHARE_ROWS=0",
                    "THREADS_PER_ROW=256,ROWS_PER_BLOCK=2,BATCH=4,STORE_BYTES=16,SHARE_ROWS=0"});
  tested.build();
  EXPECT_EQ(tested.check([](const BufferPlan& buffer, const Problem&, unsigned char* data) {
    for (std::int64_t i = 0; buffer.name == "x" && i < buffer.count; ++i)
      data[i] = static_cast<unsigned char>(i * 7 + i / 256);
  }),
            "");
  EXPECT_EQ(tested.checked, 54);
}

// Rows too long, or too many, for reciprocals; with vectors that leave their rows, and without.
TEST(Broadcast, dividesLargeIndices) {
  EmulatedOperator tested("broadcast");
  const auto add = [&](const char* shape, const char* dtype, const char* along, const char* bytes) {
    tested.add(make_problem(tested.spec(), shape, dtype, {std::string("along=") + along}).value(),
               {fmt::format("BYTES={},UNROLL=2,BLOCK=256,BLOCKS_PER_SM=0,LOADS=plain,STORES=plain", bytes)});
  };
  for (const char* bytes : {"16", "4"}) {
    add("rows=2,cols=65539", "bf16", "columns", bytes);
    add("rows=3,cols=65539", "fp32", "rows", bytes);
    add("rows=1,cols=65539,batch=3", "fp32", "matrices", bytes);
    add("rows=65539,cols=1,batch=2", "fp32", "rows", bytes);
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.checked, 8);
}

// The product that quotient.cuh computes, at the last dividend of each quotient and the first of the next one, for
// divisors of each size and as many dividends as the spec allows.
TEST(Broadcast, usesReciprocalsWhereTheyAreExact) {
  const KernelSpec spec = shipped_store().load("broadcast").value().spec;
  const auto shares = [&](const std::string& shape) {
    const Problem problem = make_problem(spec, shape, "bf16", {"along=rows"}).value();
    const Config config =
        parse_config(spec, "BYTES=2,UNROLL=1,BLOCK=128,BLOCKS_PER_SM=0,LOADS=plain,STORES=plain").value();
    const LaunchPlan plan = make_plan(spec, problem, config, h200_device()).value();
    std::map<std::string, std::uint64_t> found;
    for (const ScalarPlan& scalar : plan.scalars) found[scalar.name] = static_cast<std::uint64_t>(scalar.integer);
    return std::pair(found.at("cols_share"), found.at("rows_share"));
  };
  constexpr std::uint64_t kElements = 4194304, kProduct = std::uint64_t{1} << 32;
  for (std::uint64_t divisor = 1; divisor <= kElements / 2; divisor += 1 + divisor / 64) {
    const std::uint64_t most = std::min(kElements, kProduct / divisor) / divisor * divisor; // dividends
    if (most < 2 * divisor) break;
    const std::uint64_t share = shares(fmt::format("rows={},cols={}", most / divisor, divisor)).first;
    ASSERT_EQ(share, (kProduct + divisor - 1) / divisor);
    for (std::uint64_t n = 0; n < most; n += divisor) {
      ASSERT_EQ(n * share >> 32, n / divisor) << n << " / " << divisor;
      ASSERT_EQ((n + divisor - 1) * share >> 32, n / divisor) << n + divisor - 1 << " / " << divisor;
    }
  }
  EXPECT_EQ(shares("rows=2,cols=46340"), std::pair(kProduct / 46340 + 1, std::uint64_t{0})); // 2 * 46340^2 < 2^32
  EXPECT_EQ(shares("rows=2,cols=46341").first, 0U);
  EXPECT_EQ(shares("rows=46340,cols=1,batch=2").second, kProduct / 46340 + 1);
  EXPECT_EQ(shares("rows=46341,cols=1,batch=2").second, 0U);
  EXPECT_EQ(shares("rows=1,cols=46340").first, 0U); // one row: all quotients are 0
}

// Sums of one launch and of two, few and many parts of a sum, and more blocks than the grid's y holds.
TEST(BroadcastBackward, addsPartsOfSums) {
  EmulatedOperator tested("broadcast_backward");
  const auto add = [&](const char* shape, const char* dtype, const char* along,
                       const std::vector<std::string>& configs) {
    tested.add(make_problem(tested.spec(), shape, dtype, {std::string("along=") + along}).value(), configs);
  };
  const auto config = [](int across, int block, int unroll, int blocks, int split) {
    return fmt::format("ACROSS={},BLOCK={},UNROLL={},BLOCKS_PER_SM={},BYTES=16,SPLIT={}", across, block, unroll, blocks,
                       split);
  };
  add("rows=211,cols=40", "bf16", "columns",
      {config(8, 256, 2, 4, 0), config(8, 256, 2, 4, 1), config(8, 128, 4, 4, 0), config(32, 128, 2, 4, 1)});
  add("rows=67,cols=24,batch=3", "fp32", "matrices", {config(8, 128, 2, 4, 0), config(8, 256, 2, 8, 1)});
  add("rows=5,cols=1000", "fp16", "rows", {config(32, 128, 2, 4, 0), config(128, 256, 2, 4, 1)});
  add("rows=3,cols=16,batch=150", "fp32", "rows", {config(8, 256, 2, 4, 1)});
  add("rows=2,cols=8,batch=1100", "bf16", "rows", {config(8, 256, 4, 4, 1)});
  add("rows=1,cols=1,batch=65537", "fp32", "matrices", {config(8, 128, 2, 4, 1)});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.checked, 11);
}

// One block more than a grid holds.
TEST(BroadcastBackward, refusesGridsThatAreTooLarge) {
  const KernelSpec spec = shipped_store().load("broadcast_backward").value().spec;
  const auto refusal = [&](const char* shape, const char* along, const char* config) {
    const Problem problem = make_problem(spec, shape, "fp32", {std::string("along=") + along}).value();
    return check_config(spec, problem, h200_device(), parse_config(spec, config).value()).value_or("valid");
  };
  const char* config = "ACROSS=8,BLOCK=256,UNROLL=2,BLOCKS_PER_SM=4,BYTES=16,SPLIT=1";
  EXPECT_EQ(refusal("rows=67108832,cols=1,batch=1024", "rows", config), "valid"); // 2^31 - 1 groups of 32 rows
  EXPECT_THAT(refusal("rows=67108864,cols=1,batch=1024", "rows", config), HasSubstr("a grid holds at most 2^31 - 1"));
  EXPECT_EQ(refusal("rows=1,cols=1,batch=2147483647", "matrices", config), "valid");
  EXPECT_THAT(refusal("rows=1,cols=1,batch=2147483648", "matrices", config),
              HasSubstr("a grid holds at most 2^31 - 1"));
}

class EmulatedLogits : public testing::TestWithParam<const char*> {};

TEST_P(EmulatedLogits, mayBeOfAnySize) {
  EmulatedOperator tested(GetParam());
  tested.add_ragged();
  Shape shape = tested.spec().suites.at("ragged").front().shape;
  shape[0] = 7;
  shape[1] = 130;
  int index = 0;
  for (const DType dtype : tested.spec().dtypes) tested.add(tested.problem_of(shape, dtype, {}), index++);
  tested.build();
  EXPECT_EQ(tested.check(put_large_logits), "");
  EXPECT_EQ(tested.check(put_equal_logits), "") << "of one value";
  EXPECT_GT(tested.checked, 6);
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedLogits,
                         testing::Values("cross_entropy", "cross_entropy_backward", "masked_softmax"),
                         [](const auto& tested) { return tested.param; });

INSTANTIATE_TEST_SUITE_P(All, EmulatedRows,
                         testing::Values("row_norm", "row_norm_backward", "cross_entropy", "cross_entropy_backward",
                                         "masked_softmax", "masked_softmax_backward", "reduce", "quantise",
                                         "row_norm_quantise", "dequantise", "permute", "elementwise",
                                         "elementwise_backward", "normalise", "normalise_backward", "broadcast",
                                         "broadcast_backward"),
                         [](const auto& tested) { return tested.param; });

} // namespace
} // namespace warptune::test
