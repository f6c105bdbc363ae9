// Pooling and its gradient give the results of their references on an emulated device, also with NaN, infinities and
// equal elements, and some results of PyTorch.
#include "support/emulated_images.h"
#include "support/emulated_operator.h"
#include "support/emulated_reference.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace warptune::test {
namespace {

// Gradients whose average is a number of the dtype, but whose sum over two windows is not.
void put_large_gradients(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  for (std::int64_t i = 0; buffer.name == "dy" && buffer.dtype != DType::fp16 && i < buffer.count; ++i)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, 2e38));
}
class EmulatedStaged : public testing::TestWithParam<const char*> {
 protected:
  void add(const char* shape, const char* dtype, const std::string& op, int ceil, const std::string& config) {
    const bool is_planes = config.find("PLANES") != std::string::npos;
    const std::string implementation = is_planes ? "staged" : "bands";
    const Problem problem =
        make_problem(tested.spec(), shape, dtype,
                     {is_planes ? "layout=nchw" : "layout=nhwc", "op=" + op, "ceil=" + std::to_string(ceil)})
            .value();
    tested.add(problem, {"implementation=" + implementation + ",STORES=plain,BLOCK=64," + config});
  }

  const bool is_gradient = GetParam() == std::string("pool_backward");
  EmulatedOperator tested{GetParam(), {"staged", "bands"}};
};

// Tiles reach beyond planes at each end, planes begin anywhere in a vector, and the last block has fewer planes.
TEST_P(EmulatedStaged, tilesReachBeyondThePlanes) {
  const std::string maximum = is_gradient ? "max_index" : "max";
  const char* strided =
      "batch=5,channels=3,height=9,width=15,window_h=3,window_w=3,stride_h=3,stride_w=3,pad_h=1,pad_w=1";
  const char* begun = "batch=7,channels=3,height=7,width=10,window_h=3,window_w=3,stride_h=2,stride_w=2";
  const char* narrow = "batch=3,channels=5,height=11,width=13,window_h=2,window_w=3,pad_w=1";
  add(strided, "bf16", maximum, 0, "PLANES=4,TILE_H=1,TILE_W=2");
  add(strided, "fp32", "average_inside", 0, "PLANES=2,TILE_H=1,TILE_W=3");
  add(begun, "fp16", maximum, 1, "PLANES=8,TILE_H=2,TILE_W=4");
  add(begun, "bf16", "average", 1, "PLANES=2,TILE_H=1,TILE_W=1");
  add(begun, "fp32", "max_index", 1, "PLANES=1,TILE_H=1,TILE_W=1");
  add(narrow, "bf16", "max_place", 0, "PLANES=4,TILE_H=2,TILE_W=4");
  add(narrow, "bf16", "average", 0, "PLANES=8,TILE_H=5,TILE_W=3");
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.check(put_ties), "") << "with equal numbers";
  EXPECT_EQ(tested.checked, is_gradient ? 14 : 21);
  if (is_gradient) {
    EXPECT_EQ(tested.check(put_large_gradients), "") << "with large gradients";
  }
}

// Bands of rows and their tiles reach beyond images; padding lies above, below and in the tiles of a band.
TEST_P(EmulatedStaged, bandsReachBeyondTheImages) {
  const char* padded = "batch=2,channels=32,height=9,width=11,window_h=5,window_w=3,pad_h=2,pad_w=1";
  const char* begun = "batch=3,channels=16,height=7,width=10,window_h=3,window_w=3,stride_h=2,stride_w=2";
  add(padded, "bf16", "average", 0, "VECTORS=4,LANE_BYTES=8,BAND=4,TILE_H=2,TILE_W=2");
  add(padded, "fp32", "average_inside", 0, "VECTORS=2,LANE_BYTES=4,BAND=8,TILE_H=4,TILE_W=1");
  add(padded, "fp16", "max_index", 0, "VECTORS=1,LANE_BYTES=4,BAND=2,TILE_H=1,TILE_W=4");
  add(padded, "bf16", "max_place", 0, "VECTORS=2,LANE_BYTES=4,BAND=1,TILE_H=1,TILE_W=1");
  add("batch=0,channels=16,height=4,width=4,window_h=2,window_w=2", "bf16", "average", 0,
      "VECTORS=2,LANE_BYTES=4,BAND=2,TILE_H=1,TILE_W=1");
  if (is_gradient) add(begun, "bf16", "max_place", 1, "VECTORS=2,LANE_BYTES=4,BAND=2,TILE_H=2,TILE_W=1");
  if (is_gradient) add(begun, "fp16", "average", 1, "VECTORS=1,LANE_BYTES=8,BAND=1,TILE_H=1,TILE_W=2");
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.check(put_ties), "") << "with equal numbers";
  EXPECT_EQ(tested.checked, 13);
  if (is_gradient) {
    EXPECT_EQ(tested.check(put_large_gradients), "") << "with large gradients";
  }
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedStaged, testing::Values("pool", "pool_backward"),
                         [](const auto& tested) { return tested.param; });

// Maxima of pairs of channels whose places are found afterwards, at all edges of images, also with ceil; the last tile
// has too many elements for registers.
TEST(Pool, placesOfPairsAreThoseOfTheReference) {
  EmulatedOperator tested("pool");
  const auto add = [&](const std::string& shape, const char* dtype, const std::vector<std::string>& flags,
                       const std::string& config) {
    tested.add(make_problem(tested.spec(), shape, dtype, flags).value(),
               {"implementation=windows,BLOCK=64,LOADS=plain,STORES=plain," + config});
  };
  const std::string padded = "batch=2,channels=16,height=13,width=9,window_h=3,window_w=3,stride_h=2,stride_w=2,"
                             "pad_h=1,pad_w=1",
                    wide = "batch=2,channels=8,height=6,width=14,window_h=2,window_w=5,stride_w=3,pad_w=2",
                    square = "batch=3,channels=8,height=9,width=8,window_h=4,window_w=4,pad_h=2,pad_w=2";
  for (const std::string op : {"op=max_place", "op=max_index"}) {
    add(padded, "bf16", {op}, "TILE_H=1,TILE_W=1,LOAD_BYTES=16");
    add(padded, "fp16", {op, "ceil=1"}, "TILE_H=2,TILE_W=1,LOAD_BYTES=16");
    add(padded, "bf16", {op, "ceil=1"}, "TILE_H=2,TILE_W=2,LOAD_BYTES=8");
    add(wide, "fp16", {op}, "TILE_H=1,TILE_W=4,LOAD_BYTES=4");
    add(square, "bf16", {op}, "TILE_H=1,TILE_W=1,LOAD_BYTES=16");
    add(square, "bf16", {op}, "TILE_H=2,TILE_W=2,LOAD_BYTES=16");
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.check(put_ties), "") << "with equal numbers";
  EXPECT_EQ(tested.checked, 3 * 12);
}

std::string text_of(const std::vector<double>& numbers) { return fmt::format("{}", fmt::join(numbers, " ")); }

// As in PyTorch's max_pool1d: a NaN wins, the last if there are several; among equal maxima, and if there are only
// minus infinities, the first wins.
TEST(Pool, maximaAndTheirPlacesAreThoseOfPyTorch) {
  const Values inputs{
      {"x", {1, 3, 3, 2, kNaN, kNaN, kNaN, 0, -kInfinity, -kInfinity, -0.0, 0.0, kInfinity, kNaN, 1, 2}}};
  EmulatedReference index("pool", "batch=1,channels=1,width=16,window_w=2,stride_w=2", {"op=max_index", "layout=nchw"});
  const Values results = index.results(inputs);
  EXPECT_EQ(text_of(results.at("y")), "3 3 nan nan -inf -0 nan 2");
  EXPECT_EQ(text_of(results.at("indices")), "1 2 5 6 8 10 13 15");
  EmulatedReference place("pool", "batch=1,channels=1,width=16,window_w=3,stride_w=2,pad_w=1", {"op=max_place"});
  EXPECT_EQ(text_of(place.results(inputs).at("y")), "3 3 nan nan 0 -0 nan nan");
  EXPECT_EQ(text_of(place.results(inputs).at("indices")), "2 0 2 1 0 1 2 0");
}

// As in PyTorch's avg_pool1d of 1 to 6 with ceil_mode: elements beyond the padding never count, padding only on
// request.
TEST(Pool, averagesAreThoseOfPyTorch) {
  const std::string shape = "batch=1,channels=1,width=6,window_w=3,stride_w=2,pad_w=1";
  const Values inputs{{"x", {1, 2, 3, 4, 5, 6}}};
  const auto averages = [&](const std::string& op, const std::string& ceil) {
    return text_of(EmulatedReference("pool", shape, {"op=" + op, "ceil=" + ceil}).results(inputs).at("y"));
  };
  EXPECT_EQ(averages("average", "0"), "1 3 5");
  EXPECT_EQ(averages("average", "1"), "1 3 5 3");
  EXPECT_EQ(averages("average_inside", "1"), "1.5 3 5 6");
}

// Where the columns of a thread are those of one store: windows that touch, that overlap, and that leave gaps.
TEST(PoolGradient, narrowTilesHaveTheirWindows) {
  EmulatedOperator tested("pool_backward");
  const std::string narrow = "implementation=windows,TILE_W=1,NARROW=1,BYTES=16,BLOCK=64,LOADS=plain,STORES=plain,";
  for (const char* op : {"op=max_place", "op=max_index", "op=average"}) {
    const auto add = [&](const std::string& shape, const std::string& dtype, const std::vector<std::string>& configs) {
      tested.add(make_problem(tested.spec(), shape, dtype, {op, "layout=nchw"}).value(), configs);
    };
    add("batch=3,channels=5,width=216,window_w=4,stride_w=4", "bf16", {narrow + "TILE_H=1"});
    add("batch=2,channels=3,width=72,window_w=6,stride_w=4,pad_w=2", "fp16", {narrow + "TILE_H=1"});
    add("batch=2,channels=3,height=9,width=28,window_h=3,window_w=3,stride_h=2,stride_w=2,pad_h=1,pad_w=1", "fp32",
        {narrow + "TILE_H=1", narrow + "TILE_H=4"});
    add("batch=2,channels=3,height=6,width=20,window_h=2,window_w=3,stride_h=2,stride_w=4", "fp32",
        {narrow + "TILE_H=2"});
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
}

} // namespace
} // namespace warptune::test
