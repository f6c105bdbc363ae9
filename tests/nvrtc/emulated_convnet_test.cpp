// The operators of convolutional networks give the results of their references on an emulated
// device, also with NaN and infinities; some results of PyTorch; and gradients are derivatives.
#include "support/emulated_operator.h"
#include "support/emulated_reference.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace warptune::test {
namespace {

// A run of minus infinity; NaN, infinities and zeros of both signs in some places.
void put_special_pixels(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  const std::set<std::string> names = {"x", "dy", "y", "residual"};
  if (names.count(buffer.name) == 0) return;
  for (std::int64_t i = buffer.count / 2; i < buffer.count / 2 + buffer.count / 8; ++i)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, -kInfinity));
  const double numbers[] = {kNaN, kInfinity, -kInfinity, 0.0, -0.0};
  for (std::int64_t i = 3, which = 0; i < buffer.count; i += 31, ++which)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, numbers[which % 5]));
}

void put_one_infinity(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  if (buffer.name == "x" && buffer.count > 0)
    put(data, buffer.dtype, buffer.count / 3, encode_number(buffer.dtype, kInfinity));
}

// Many equal numbers.
void put_ties(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  for (std::int64_t i = 0; buffer.name == "x" && i < buffer.count; ++i)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, static_cast<double>(i * 5 % 7 % 3)));
}

// Gradients whose average is a number of the dtype, but whose sum over two windows is not.
void put_large_gradients(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  for (std::int64_t i = 0; buffer.name == "dy" && buffer.dtype != DType::fp16 && i < buffer.count; ++i)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, 2e38));
}

class EmulatedConvnet : public testing::TestWithParam<const char*> {};

TEST_P(EmulatedConvnet, givesTheResultsOfTheReference) {
  EmulatedOperator tested(GetParam());
  tested.add_ragged();
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.check(put_one_infinity), "") << "with one infinity";
  EXPECT_EQ(tested.check(put_ties), "") << "with equal numbers";
  EXPECT_GT(tested.checked, 40);
  std::printf("%s: %d results checked\n", GetParam(), tested.checked);
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedConvnet,
                         testing::Values("pool", "pool_backward", "batch_norm", "batch_norm_backward", "group_norm",
                                         "group_norm_backward"),
                         [](const auto& tested) { return tested.param; });

class EmulatedSlabs : public testing::TestWithParam<const char*> {
 protected:
  void add(const char* shape, const char* dtype, const std::vector<std::string>& configs) {
    std::vector<std::string> texts;
    for (const std::string& config : configs) texts.push_back("implementation=" + config);
    tested_.add(make_problem(tested_.spec(), shape, dtype, {}).value(), texts);
  }
  void expect_results(int results) {
    tested_.build();
    EXPECT_EQ(tested_.check(), "");
    EXPECT_EQ(tested_.check(put_special_pixels), "") << "with NaN and infinities";
    EXPECT_EQ(tested_.check(put_one_infinity), "") << "with one infinity";
    EXPECT_EQ(tested_.check(put_ties), "") << "with equal numbers";
    EXPECT_EQ(tested_.checked, results);
  }

 private:
  EmulatedOperator tested_{GetParam()};
};

// Clusters share rows that they cannot divide evenly; vectors lie across groups; threads are left over.
TEST_P(EmulatedSlabs, ofClustersGiveTheResultsOfTheReference) {
  add("batch=2,channels=40,pixels=403,groups=4", "bf16",
      {"slabs,GROUPS_PER_CLUSTER=4,CLUSTER=4,THREADS=128,STORES=plain",
       "slabs,GROUPS_PER_CLUSTER=2,CLUSTER=2,THREADS=128,STORES=streaming",
       "slabs,GROUPS_PER_CLUSTER=4,CLUSTER=1,THREADS=256,STORES=plain",
       "slabs,GROUPS_PER_CLUSTER=4,CLUSTER=2,THREADS=512,STORES=plain"});
  add("batch=1,channels=64,pixels=131,groups=64", "fp16",
      {"slabs,GROUPS_PER_CLUSTER=32,CLUSTER=1,THREADS=128,STORES=plain",
       "slabs,GROUPS_PER_CLUSTER=64,CLUSTER=2,THREADS=128,STORES=streaming"});
  add("batch=3,channels=36,pixels=131,groups=4", "fp32",
      {"slabs,GROUPS_PER_CLUSTER=2,CLUSTER=1,THREADS=128,STORES=plain",
       "slabs,GROUPS_PER_CLUSTER=4,CLUSTER=2,THREADS=128,STORES=plain"});
  expect_results(32);
}

// Three blocks hold a slab, or half of it.
TEST_P(EmulatedSlabs, ofAllBlocksGiveTheResultsOfTheReference) {
  add("batch=2,channels=36,pixels=601,groups=4", "fp32",
      {"grid,GROUPS_AT_A_TIME=4,SHARED_KB=16,THREADS=256,BLOCKS_PER_SM=1,STORES=plain"});
  add("batch=1,channels=68,pixels=320,groups=2", "bf16",
      {"grid,GROUPS_AT_A_TIME=1,SHARED_KB=220,THREADS=256,BLOCKS_PER_SM=1,STORES=streaming"});
  expect_results(8);
}

class GroupTeams : public testing::TestWithParam<const char*> {};

// With little shared memory, so that rings are shorter than the parts of all images of a block.
TEST_P(GroupTeams, giveTheResultsOfTheReference) {
  const bool is_gradient = std::string(GetParam()) == "group_norm_backward";
  DeviceInfo device = small_h200(6);
  device.limits.max_shared_per_block = is_gradient ? 72'000 : 30'000;
  EmulatedOperator tested(GetParam(), {"teams"}, device);
  const auto add = [&](const std::string& shape, const char* dtype, const std::string& teams, int per_sm = 1) {
    const std::string rest = is_gradient ? ",THREADS=320" : fmt::format(",THREADS=256,BLOCKS_PER_SM={}", per_sm);
    tested.add(make_problem(tested.spec(), shape, dtype, {}).value(), {"implementation=teams,TEAMS=" + teams + rest});
  };
  // Teams of one block, of which one has an image less. Teams of three blocks, of which one has a chunk more. Then a
  // thread takes the sums of several blocks, also one after another; there are more channels than threads.
  add("batch=19,channels=60,pixels=22,groups=4", "fp32", "4");
  if (is_gradient) {
    add("batch=4,channels=24,pixels=319,groups=4", "fp32", "2");
    add("batch=2,channels=336,pixels=24,groups=84", "fp16", "2");
  } else {
    add("batch=4,channels=24,pixels=253,groups=4", "fp32", "2");
    add("batch=2,channels=88,pixels=35,groups=88", "fp32", "2");
    add("batch=2,channels=264,pixels=27,groups=132", "fp16", "2", 2);
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.checked, is_gradient ? 6 : 8);
}

INSTANTIATE_TEST_SUITE_P(All, GroupTeams, testing::Values("group_norm", "group_norm_backward"),
                         [](const auto& tested) { return tested.param; });

// Of several groups for each persistent cluster.
TEST(EmulatedRing, clustersShareGroups) {
  EmulatedOperator tested("group_norm_backward", {"ring"});
  const auto add = [&](const char* shape, const char* dtype, const std::string& config) {
    tested.add(make_problem(tested.spec(), shape, dtype, {"layout=nchw"}).value(), {"implementation=ring," + config});
  };
  add("batch=3,channels=8,pixels=2048,groups=2", "bf16",
      "BLOCK=128,THREADS_PER_CHANNEL=32,CLUSTER=2,STAGES=2,BLOCKS_PER_SM=1");
  add("batch=1,channels=8,pixels=4096,groups=2", "fp16",
      "BLOCK=128,THREADS_PER_CHANNEL=128,CLUSTER=4,STAGES=2,BLOCKS_PER_SM=1");
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.checked, 4);
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
  EXPECT_EQ(tested.check(put_large_gradients), "") << "with large gradients";
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
  EXPECT_EQ(tested.check(put_large_gradients), "") << "with large gradients";
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedStaged, testing::Values("pool", "pool_backward"),
                         [](const auto& tested) { return tested.param; });

class EmulatedTeams : public testing::TestWithParam<const char*> {};

// On three multiprocessors: two teams of three blocks that have two channels each and cannot divide them evenly; three
// teams of one block, of which one has only one channel; one team of all blocks.
TEST_P(EmulatedTeams, ofBlocksGiveTheResultsOfTheReference) {
  EmulatedOperator tested(GetParam(), {"teams"});
  const bool is_gradient = GetParam() == std::string("batch_norm_backward");
  const auto add = [&](const char* shape, const char* dtype, bool adds, bool cuts, const std::string& config) {
    const std::vector<std::string> flags = is_gradient ? std::vector{std::string("after=") + (adds   ? "add_relu"
                                                                                              : cuts ? "relu"
                                                                                                     : "nothing")}
                                                       : std::vector{std::string("residual=") + (adds ? "1" : "0"),
                                                                     std::string("relu=") + (cuts ? "1" : "0")};
    std::vector<std::string> all{"layout=nchw"};
    all.insert(all.end(), flags.begin(), flags.end());
    tested.add(make_problem(tested.spec(), shape, dtype, all).value(), {"implementation=teams," + config});
  };
  add("batch=5,channels=4,pixels=5600", "fp32", true, true, "THREADS=256,BLOCKS_PER_SM=2,STORES=plain");
  add("batch=9,channels=5,pixels=264", "bf16", false, true, "THREADS=256,BLOCKS_PER_SM=1,STORES=streaming");
  add("batch=4,channels=1,pixels=1608", "fp16", false, false, "THREADS=256,BLOCKS_PER_SM=1,STORES=plain");
  add("batch=131,channels=3,pixels=24", "fp16", true, true, "THREADS=256,BLOCKS_PER_SM=1,STORES=plain");
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.check(put_one_infinity), "") << "with one infinity";
  EXPECT_EQ(tested.check(put_ties), "") << "with equal numbers";
  EXPECT_EQ(tested.checked, 16);
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedTeams, testing::Values("batch_norm", "batch_norm_backward"),
                         [](const auto& tested) { return tested.param; });

// Vectors that belong to several planes, also to more than two, and end behind the tensor.
TEST(BatchNormGradient, dresidualIsStoredByEitherLaunch) {
  EmulatedOperator tested("batch_norm_backward");
  for (const char* order : {"DRESIDUAL=early", "DRESIDUAL=late"}) {
    const std::string rows = "implementation=channels_last,THREADS_ACROSS=4,THREADS=128,BLOCKS_PER_SM=2,BATCH=2,"
                             "ORDER=reversed,STORES=plain,",
                      planes = "implementation=planes,THREADS_PER_CHANNEL=8,CHANNELS_PER_BLOCK=16,BLOCKS_PER_SM=2,"
                               "BATCH=2,UNROLL=1,BLOCK=128,ORDER=reversed,STORES=plain,";
    const auto add = [&](const char* shape, const char* dtype, const char* layout, const std::string& config) {
      tested.add(make_problem(tested.spec(), shape, dtype, {layout, "after=add_relu"}).value(), {config + order});
    };
    add("batch=5,channels=24,pixels=49", "bf16", "layout=nhwc", rows);
    add("batch=37,channels=129", "fp32", "layout=nhwc", rows);
    add("batch=5,channels=23,pixels=49", "bf16", "layout=nchw", planes);
    add("batch=37,channels=129", "bf16", "layout=nchw", planes);
    add("batch=37,channels=11,pixels=3", "fp16", "layout=nchw", planes);
    add("batch=3,channels=7,pixels=64", "fp32", "layout=nchw", planes);
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.checked, 24);
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedSlabs, testing::Values("group_norm", "group_norm_backward"),
                         [](const auto& tested) { return tested.param; });

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

// A forward pass, its gradient, and the inputs that have gradients, with the names of these.
struct ConvnetPair {
  const char* title;
  std::string forward, backward, shape;
  std::vector<std::string> flags, backward_flags;
  std::map<std::string, std::string> gradients;
  double step = 0.02;
};

std::size_t elements_of(const ConvnetPair& pair, const std::string& input) {
  const Kernel kernel = shipped_store().load(pair.forward).value();
  const Problem problem = make_problem(kernel.spec, pair.shape, "fp32", pair.flags).value();
  const LaunchPlan plan = make_reference_plan(kernel.spec, problem, h200_device()).value();
  for (const BufferPlan& buffer : plan.buffers)
    if (buffer.name == input) return static_cast<std::size_t>(buffer.count);
  throw std::runtime_error(input);
}

class ConvnetGradients : public testing::TestWithParam<ConvnetPair> {};

// Along a random direction, by a fourth-order difference.
TEST_P(ConvnetGradients, areTheDerivatives) {
  const ConvnetPair& pair = GetParam();
  EmulatedReference forward(pair.forward, pair.shape, pair.flags),
      backward(pair.backward, pair.shape, pair.backward_flags);
  std::mt19937_64 random(5);
  const auto draw = [&](std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = static_cast<float>(std::normal_distribution(0.0, 1.0)(random));
    return values;
  };
  // A step that is small compared with the distances between all numbers, so that the largest of a window stays the
  // largest.
  Values inputs;
  for (const auto& [name, gradient] : pair.gradients) {
    std::vector<double>& values = inputs[name];
    values.resize(elements_of(pair, name));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.25 * (static_cast<double>(i) + 1);
    std::shuffle(values.begin(), values.end(), random);
    const double middle = 0.125 * static_cast<double>(values.size()) + 0.1; // no number is 0
    for (double& value : values) value -= middle;
  }
  Values known = forward.results(inputs);
  const std::vector<double> weights = draw(known.at("y").size());
  known.insert(inputs.begin(), inputs.end());
  known["dy"] = weights;
  const Values gradients = backward.results(known);
  for (const auto& [name, gradient] : pair.gradients) {
    const std::vector<double> direction = draw(inputs.at(name).size());
    const auto loss_at = [&](double step) {
      Values moved = inputs;
      for (std::size_t i = 0; i < direction.size(); ++i)
        moved[name][i] = static_cast<float>(moved[name][i] + step * direction[i]);
      const std::vector<double> outputs = forward.results(moved).at("y");
      double sum = 0;
      for (std::size_t i = 0; i < outputs.size(); ++i) sum += outputs[i] * weights[i];
      return sum;
    };
    const double near = loss_at(pair.step) - loss_at(-pair.step),
                 far = loss_at(2 * pair.step) - loss_at(-2 * pair.step);
    double derivative = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) derivative += direction[i] * gradients.at(gradient)[i];
    EXPECT_NEAR((8 * near - far) / (12 * pair.step), derivative, 1e-3 * (1 + std::abs(derivative))) << gradient;
  }
}

const std::string kImages =
    "batch=2,channels=3,height=7,width=8,window_h=3,window_w=3,stride_h=2,stride_w=2,pad_h=1,pad_w=1";
const std::string kVolumes = "batch=2,channels=2,depth=4,height=5,width=6,window_d=2,window_h=3,window_w=2,stride_h=2,"
                             "pad_d=1,pad_h=1,stride_w=3";

ConvnetPair pool_pair(const char* title, const std::string& shape, const std::vector<std::string>& flags) {
  return {title, "pool", "pool_backward", shape, flags, flags, {{"x", "dx"}}};
}
// The step is small enough that no result of relu changes its sign.
ConvnetPair batch_pair(const char* title, const std::vector<std::string>& flags,
                       const std::vector<std::string>& backward_flags, bool residual = false) {
  std::map<std::string, std::string> gradients{{"x", "dx"}, {"weight", "dweight"}, {"bias", "dbias"}};
  if (residual) gradients["residual"] = "dresidual";
  return {title,     "batch_norm", "batch_norm_backward", "batch=2,channels=3,pixels=4", flags, backward_flags,
          gradients, 0.001};
}

ConvnetPair group_pair(const char* title, const std::string& shape, const std::vector<std::string>& flags) {
  return {title,
          "group_norm",
          "group_norm_backward",
          shape,
          flags,
          flags,
          {{"x", "dx"}, {"weight", "dweight"}, {"bias", "dbias"}}};
}

INSTANTIATE_TEST_SUITE_P(
    All, ConvnetGradients,
    testing::Values(pool_pair("max_index", kImages, {"op=max_index", "layout=nchw"}),
                    pool_pair("max_place", kImages, {"op=max_place", "ceil=1"}),
                    pool_pair("max_of_volumes", kVolumes, {"op=max_index"}),
                    pool_pair("average", kImages, {"op=average", "layout=nchw", "ceil=1"}),
                    pool_pair("average_inside", kVolumes, {"op=average_inside"}), batch_pair("batch_norm", {}, {}),
                    batch_pair("batch_norm_relu", {"layout=nchw", "relu=1"}, {"layout=nchw", "after=relu"}),
                    batch_pair("batch_norm_add_relu", {"relu=1", "residual=1"}, {"after=add_relu"}, true),
                    group_pair("group_norm", "batch=2,channels=6,pixels=5,groups=2", {}),
                    group_pair("instance_norm", "batch=3,channels=2,pixels=7,groups=2", {"layout=nchw"})),
    [](const auto& tested) { return std::string(tested.param.title); });

} // namespace
} // namespace warptune::test
