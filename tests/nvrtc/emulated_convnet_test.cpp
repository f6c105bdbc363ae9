// The operators of convolutional networks give the results of their references on an emulated device, also with NaN and
// infinities, and their gradients are derivatives. emulated_pool_test.cpp has more tests of pooling.
#include "support/emulated_images.h"
#include "support/emulated_operator.h"
#include "support/emulated_reference.h"

#include <gtest/gtest.h>

namespace warptune::test {
namespace {

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
    expect_right_on_images(tested_);
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
  const auto add = [&](const std::string& shape, const char* dtype, const std::string& teams, int per_sm = 1,
                       bool wide = false) {
    const std::string rest = is_gradient ? fmt::format(",THREADS={}", wide ? 512 : 320)
                                         : fmt::format(",THREADS={},BLOCKS_PER_SM={}", wide ? 512 : 256, per_sm);
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
  // An odd number of images: one team of all blocks, and three teams of blocks of 384 threads.
  add("batch=3,channels=24,pixels=319,groups=4", "fp32", "1");
  add("batch=3,channels=1536,pixels=7,groups=32", "bf16", "3", 1, true);
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.checked, is_gradient ? 10 : 12);
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

class ChannelSlabs : public testing::TestWithParam<const char*> {};

// On three multiprocessors with little shared memory: threads have room for all of their vectors, or need 2 to 8 laps,
// of which the first one may be short. Teams of one to six blocks have one to four slabs.
TEST_P(ChannelSlabs, giveTheResultsOfTheReference) {
  const bool is_gradient = GetParam() == std::string("batch_norm_backward");
  DeviceInfo device = small_h200();
  device.limits.max_shared_per_block = is_gradient ? 39'000 : 24'000;
  EmulatedOperator tested(GetParam(), {"slabs"}, device);
  const auto add = [&](const char* shape, const char* dtype, const char* flag,
                       const std::vector<std::string>& configs) {
    std::vector<std::string> texts;
    for (const std::string& config : configs) texts.push_back("implementation=slabs," + config);
    const std::vector<std::string> flags =
        is_gradient                       ? std::vector{std::string("after=") + flag}
        : flag == std::string("add_relu") ? std::vector<std::string>{"residual=1", "relu=1"}
                                          : std::vector<std::string>{flag == std::string("relu") ? "relu=1" : "relu=0"};
    tested.add(make_problem(tested.spec(), shape, dtype, flags).value(), texts);
  };
  add("batch=3,channels=64,pixels=667", "bf16", "add_relu",
      {"SLAB_BYTES=64,TEAMS=1,BLOCKS_PER_SM=1,L2=kept", "SLAB_BYTES=64,TEAMS=2,BLOCKS_PER_SM=1,L2=plain",
       "SLAB_BYTES=128,TEAMS=1,BLOCKS_PER_SM=2,L2=kept"});
  add("batch=5,channels=128,pixels=103", "fp16", "nothing",
      {"SLAB_BYTES=64,TEAMS=2,BLOCKS_PER_SM=2,L2=kept", "SLAB_BYTES=256,TEAMS=1,BLOCKS_PER_SM=2,L2=plain"});
  add("batch=2,channels=64,pixels=517", "fp32", "relu",
      {"SLAB_BYTES=64,TEAMS=4,BLOCKS_PER_SM=2,L2=kept", "SLAB_BYTES=128,TEAMS=1,BLOCKS_PER_SM=1,L2=kept"});
  add("batch=2,channels=32,pixels=193", "bf16", "add_relu", {"SLAB_BYTES=64,TEAMS=1,BLOCKS_PER_SM=1,L2=kept"});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.check(put_one_infinity), "") << "with one infinity";
  EXPECT_EQ(tested.check(put_ties), "") << "with equal numbers";
  EXPECT_EQ(tested.check(put_far_from_zero), "") << "with a large mean";
  EXPECT_EQ(tested.checked, 40);
}

// A team without a slab would copy channels that do not exist. 31 is as near to 32 as the idle teams allow.
TEST_P(ChannelSlabs, areAsManyAsTheTeams) {
  const EmulatedOperator tested(GetParam(), {"slabs"});
  const std::string flag = GetParam() == std::string("batch_norm") ? "relu=1" : "after=relu";
  const auto configs_of_32_teams = [&](const char* channels) {
    const std::string shape = std::string("batch=64,pixels=256,channels=") + channels;
    const auto space =
        SearchSpace::build(tested.spec(), make_problem(tested.spec(), shape, "bf16", {flag}).value(), h200_device());
    int count = 0;
    for (ConfigIndex i = 0; i < space->size(); ++i)
      count += config_text(tested.spec(), space->config(i)).find("TEAMS=32") != std::string::npos ? 1 : 0;
    return count;
  };
  EXPECT_EQ(configs_of_32_teams("1984"), 0);
  EXPECT_GT(configs_of_32_teams("2048"), 0);
}

INSTANTIATE_TEST_SUITE_P(All, ChannelSlabs, testing::Values("batch_norm", "batch_norm_backward"),
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
