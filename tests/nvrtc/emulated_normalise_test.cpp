// normalise and its gradient give the results of their references on an emulated device, with each way to share a
// vector, and the references those of PyTorch. row_norm_quantise has the results of row_norm and quantise.
#include "support/emulated_operator.h"
#include "support/emulated_reference.h"

#include <cmath>
#include <gtest/gtest.h>

namespace warptune::test {
namespace {

// Vectors of zeros, vectors whose norm is below eps, and equal elements, which share the largest magnitude.
void put_small_and_equal(const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
  if (buffer.name != "x") return;
  const std::int64_t n = problem.dims[1], inner = problem.dims[2];
  for (std::int64_t i = 0; i < buffer.count; ++i) {
    const std::int64_t vector = i / (n * inner) * inner + i % inner;
    if (vector % 4 == 3) continue;
    const double value = vector % 4 == 0 ? 0 : vector % 4 == 1 ? 1e-20 : i % 3 == 0 ? -1 : 1;
    put(data, buffer.dtype, i, encode_number(buffer.dtype, value));
  }
}

// In fp16, the gradient of a vector of zeros is too large to be finite.
void put_equal(const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
  if (buffer.name == "x" && buffer.dtype == DType::fp16) {
    for (std::int64_t i = 0; i < buffer.count; ++i)
      put(data, buffer.dtype, i, encode_number(buffer.dtype, i % 3 == 0 ? -1 : 1));
  } else {
    put_small_and_equal(buffer, problem, data);
  }
}

// NaN and infinities in some vectors.
void put_special(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  const double ones[] = {kNaN, kInfinity, -kInfinity};
  if (buffer.name != "x" && buffer.name != "dy") return;
  for (std::int64_t i = buffer.name == "x" ? 100 : 50; i < buffer.count; i += 1999)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, ones[i % 3]));
}

class EmulatedNormalise : public testing::TestWithParam<const char*> {};

// The device has three multiprocessors. Pieces are few and many, aligned and not, with a short last one.
TEST_P(EmulatedNormalise, givesTheResultsOfTheReference) {
  EmulatedOperator tested(GetParam());
  const auto add = [&](const char* shape, const char* dtype, const char* order,
                       const std::vector<std::string>& configs) {
    tested.add(make_problem(tested.spec(), shape, dtype, {std::string("order=") + order}).value(), configs);
  };
  const std::string pieces = "implementation=pieces,", strips = "implementation=column_pieces,";
  add("outer=1,n=40003", "bf16", "l2", {pieces + "THREADS=128,BLOCKS_PER_SM=16,BATCH=1,LOAD_BYTES=16"});
  add("outer=1,n=40000", "fp32", "max", {pieces + "THREADS=256,BLOCKS_PER_SM=4,BATCH=2,LOAD_BYTES=16"});
  add("outer=2,n=20001", "fp16", "l1", {pieces + "THREADS=512,BLOCKS_PER_SM=2,BATCH=4,LOAD_BYTES=8"});
  add("outer=1,n=2100,inner=24", "bf16", "max",
      {strips + "THREADS_ACROSS=4,TURNS=32,BLOCKS_PER_SM=8,BATCH=2,LOAD_BYTES=16"});
  add("outer=2,n=1301,inner=9", "fp32", "l2",
      {strips + "THREADS_ACROSS=16,TURNS=16,BLOCKS_PER_SM=4,BATCH=2,LOAD_BYTES=16"});
  add("outer=1,n=1500,inner=32", "fp16", "l1",
      {strips + "THREADS_ACROSS=16,TURNS=32,BLOCKS_PER_SM=2,BATCH=4,LOAD_BYTES=4"});
  for (const char* order : {"l2", "l1", "max"}) {
    add("outer=37,n=136", "bf16", order,
        {"implementation=rows,THREADS_PER_ROW=8,ROWS_PER_BLOCK=16,CLUSTER=1,BATCH=0,LOAD_BYTES=16",
         "implementation=rows,THREADS_PER_ROW=8,ROWS_PER_BLOCK=4,CLUSTER=1,BATCH=0,LOAD_BYTES=8"});
    add("outer=3,n=9001", "fp32", order,
        {"implementation=rows,THREADS_PER_ROW=1024,ROWS_PER_BLOCK=1,CLUSTER=2,BATCH=0,LOAD_BYTES=16",
         "implementation=rows,THREADS_PER_ROW=256,ROWS_PER_BLOCK=1,CLUSTER=4,BATCH=2,LOAD_BYTES=16"});
    add("outer=131,n=136", "bf16", order,
        {"implementation=ring,THREADS_PER_ROW=16,ROWS_PER_BLOCK=16,STAGES=8,BLOCKS_PER_SM=2"});
    add("outer=17,n=2048", "fp32", order,
        {"implementation=ring,THREADS_PER_ROW=256,ROWS_PER_BLOCK=1,STAGES=3,BLOCKS_PER_SM=2",
         "implementation=ring,THREADS_PER_ROW=128,ROWS_PER_BLOCK=2,STAGES=2,BLOCKS_PER_SM=2"});
    add("outer=3,n=75,inner=40", "bf16", order,
        {"implementation=columns,THREADS_ACROSS=4,TURNS=32,BATCH=0,LOAD_BYTES=16",
         "implementation=columns,THREADS_ACROSS=16,TURNS=8,BATCH=4,LOAD_BYTES=8"});
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special), "") << "with NaN and infinities";
  const bool is_backward = std::string(GetParam()) == "normalise_backward";
  EXPECT_EQ(tested.check(is_backward ? put_equal : put_small_and_equal), "") << "with small and equal vectors";
  EXPECT_EQ(tested.checked, 3 * 33);
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedNormalise, testing::Values("normalise", "normalise_backward"),
                         [](const auto& tested) { return tested.param; });

// Long sums of equal elements, whose additions round in the same direction, by few threads.
TEST(Normalise, addsManyEqualElementsAccurately) {
  EmulatedOperator tested("normalise");
  for (const char* order : {"l2", "l1"}) {
    const std::vector<std::string> flags{std::string("order=") + order};
    tested.add(make_problem(tested.spec(), "outer=1,n=400000", "fp32", flags).value(),
               {"implementation=rows,THREADS_PER_ROW=128,ROWS_PER_BLOCK=1,CLUSTER=1,BATCH=1,LOAD_BYTES=16",
                "implementation=pieces,THREADS=512,BLOCKS_PER_SM=2,BATCH=1,LOAD_BYTES=16"});
    tested.add(make_problem(tested.spec(), "outer=1,n=4096,inner=36", "fp32", flags).value(),
               {"implementation=columns,THREADS_ACROSS=16,TURNS=8,BATCH=2,LOAD_BYTES=16"});
  }
  tested.build();
  for (const double element : {1.02610016, 1.5, 1.99530017})
    EXPECT_EQ(tested.check([&](const BufferPlan& buffer, const Problem&, unsigned char* data) {
      for (std::int64_t i = 0; buffer.name == "x" && i < buffer.count; ++i)
        put(data, buffer.dtype, i, encode_number(buffer.dtype, element));
    }),
              "")
        << element;
}

// The device has three multiprocessors, so each block has several turns.
TEST(RowNormQuantise, keepsRowsInRings) {
  EmulatedOperator tested("row_norm_quantise");
  const auto add = [&](const char* shape, const char* dtype, const std::vector<std::string>& flags,
                       const std::string& config) {
    tested.add(make_problem(tested.spec(), shape, dtype, flags).value(), {"implementation=ring," + config});
  };
  for (const std::string norm : {"norm=rms", "norm=layer"}) {
    add("rows=131,cols=136", "bf16", {norm, "weight=1", "bias=1"},
        "THREADS_PER_ROW=16,ROWS_PER_BLOCK=16,STAGES=8,BLOCKS_PER_SM=2");
    add("rows=23,cols=2048", "fp32", {norm, "to=e4m3", "residual=1", "weight=1"},
        "THREADS_PER_ROW=128,ROWS_PER_BLOCK=2,STAGES=2,BLOCKS_PER_SM=2");
    add("rows=17,cols=4096", "fp16", {norm, "residual=1"},
        "THREADS_PER_ROW=512,ROWS_PER_BLOCK=1,STAGES=4,BLOCKS_PER_SM=1");
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check([](const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
    const double ones[] = {kNaN, kInfinity, -kInfinity};
    for (std::int64_t row = 1; buffer.name == "x" && row < 4; ++row)
      put(data, buffer.dtype, row * problem.dims[1] + 77, encode_number(buffer.dtype, ones[row - 1]));
  }),
            "")
      << "with NaN and infinities";
  EXPECT_EQ(tested.checked, 2 * 6);
}

// torch.nn.functional.normalize and its gradient for dy = (1, 2, 3): of (3, -4, 0), of (2, -2, 1), whose largest
// magnitude two elements have, and of zeros.
TEST(Normalise, resultsAreThoseOfPyTorch) {
  struct Known {
    const char* order;
    std::vector<double> y, dx;
  };
  const double big = 1e12;
  for (const Known& known : {Known{"l2",
                                   {0.6, -0.8, 0, 2 / 3.0, -2 / 3.0, 1 / 3.0, 0, 0, 0},
                                   {0.32, 0.24, 0.6, 7 / 27.0, 20 / 27.0, 26 / 27.0, big, 2 * big, 3 * big}},
                             Known{"l1",
                                   {3 / 7.0, -4 / 7.0, 0, 0.4, -0.4, 0.2, 0, 0, 0},
                                   {12 / 49.0, 9 / 49.0, 3 / 7.0, 0.16, 0.44, 0.56, big, 2 * big, 3 * big}},
                             Known{"max",
                                   {0.75, -1, 0, 1, -1, 0.5, 0, 0, 0},
                                   {0.25, 0.1875, 0.75, 0.375, 1.125, 1.5, big, 2 * big, 3 * big}}}) {
    const std::vector<std::string> flags{std::string("order=") + known.order};
    EmulatedReference forward("normalise", "outer=3,n=3", flags), backward("normalise_backward", "outer=3,n=3", flags);
    const std::vector<double> x{3, -4, 0, 2, -2, 1, 0, 0, 0}, dy{1, 2, 3, 1, 2, 3, 1, 2, 3};
    const std::vector<double> y = forward.results({{"x", x}}).at("y"),
                              dx = backward.results({{"x", x}, {"dy", dy}}).at("dx");
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(y[i], known.y[i], 1e-6) << known.order << i;
      EXPECT_NEAR(dx[i], known.dx[i], 1e-6 * std::max(1.0, known.dx[i])) << known.order << i;
    }
  }
}

// The results of row_norm_quantise are those of quantise for the results of row_norm in fp32.
TEST(RowNormQuantise, quantisesTheResultsOfRowNorm) {
  constexpr std::size_t kRows = 6, kCols = 37;
  for (const std::string norm : {"rms", "layer"}) {
    for (const std::string to : {"int8", "e4m3"}) {
      const std::string shape = "rows=6,cols=37";
      const std::vector<std::string> flags{"norm=" + norm, "weight=1", "bias=1", "residual=1"};
      std::vector<std::string> narrow = flags;
      narrow.push_back("to=" + to);
      EmulatedReference first("row_norm", shape, flags), second("quantise", shape, {"to=" + to}),
          fused("row_norm_quantise", shape, narrow);
      const Values inputs{{"x", draw_normal(kRows * kCols, 1)},
                          {"residual", draw_normal(kRows * kCols, 2)},
                          {"weight", draw_normal(kCols, 3)},
                          {"bias", draw_normal(kCols, 4)}};
      const Values normalised = first.results(inputs), found = fused.results(inputs),
                   wanted = second.results({{"x", normalised.at("y")}});
      EXPECT_EQ(found.at("sum"), normalised.at("sum"));
      for (std::size_t row = 0; row < kRows; ++row)
        EXPECT_NEAR(found.at("scales")[row], wanted.at("scales")[row], 1e-6 * wanted.at("scales")[row]);
      for (std::size_t i = 0; i < kRows * kCols; ++i) { // found: before it is rounded
        const double value = found.at("y")[i], spacing = std::exp2(std::floor(std::log2(std::abs(value))) - 3);
        EXPECT_NEAR(wanted.at("y")[i], value, (to == "int8" ? 1 : std::max(spacing, 0x1p-9)) / 2 + 1e-3) << norm << to;
      }
    }
  }
}

} // namespace
} // namespace warptune::test
