// Launch sequences over a stand-in for the driver: arguments that do not exist, more arguments than usual, symbols.
#include "gpu/launch.h"
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"

#include <gmock/gmock.h>
#include <stdexcept>

namespace warptune {
namespace {

using test::FakeLaunch;
using ::testing::HasSubstr;

const Driver& driver() {
  const auto loaded = load_driver();
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return **loaded;
}

BufferPlan buffer(const std::string& name, std::int64_t count) {
  return {name, DType::fp32, count, Role::input, {}, false, 16};
}

LaunchPlan plan_with(std::vector<ArgRef> args) {
  fake_set_arg_count(static_cast<int>(args.size()));
  LaunchPlan plan;
  plan.name_expressions = {"k"};
  KernelLaunch launch;
  launch.name_expression = "k";
  launch.args = std::move(args);
  plan.launches = {launch};
  return plan;
}

LaunchSequence sequence_of(const LaunchPlan& plan, const LoadedKernels& kernels,
                           const std::vector<CUdeviceptr>& buffers) {
  auto made = LaunchSequence::make(driver(), plan, kernels.functions, buffers, kernels.symbols);
  EXPECT_TRUE(made.has_value()) << made.error().message;
  return std::move(*made);
}

TEST(LaunchSequence, GivesNullForWhatDoesNotExist) {
  LaunchPlan plan = plan_with({{ArgRef::Kind::buffer, 0}, {ArgRef::Kind::absent, -1}, {ArgRef::Kind::buffer, 0}});
  plan.buffers = {buffer("x", 4)};
  const auto kernels = load_kernels(driver(), "fake", {"k"});
  ASSERT_TRUE(kernels.has_value());
  const LaunchSequence sequence = sequence_of(plan, *kernels, {0x1000});
  const CUdeviceptr other = 0x2000;
  ASSERT_EQ(sequence.enqueue_with(nullptr, {&other, 1}, {}), CUDA_SUCCESS);
  const FakeLaunch seen = fake_launch();
  EXPECT_EQ(seen.args[0], 0x2000U);
  EXPECT_EQ(seen.args[1], 0U);
  EXPECT_EQ(seen.args[2], 0x2000U);
}

TEST(LaunchSequence, TakesMoreArgumentsThanUsual) {
  constexpr int kMany = 3000;
  LaunchPlan plan = plan_with({});
  std::vector<CUdeviceptr> pointers;
  for (int i = 0; i < kMany; ++i) {
    plan.buffers.push_back(buffer("b" + std::to_string(i), 4));
    plan.launches[0].args.insert(plan.launches[0].args.begin(), {ArgRef::Kind::buffer, i});
    pointers.push_back(static_cast<CUdeviceptr>(0x1000 + i));
  }
  const auto kernels = load_kernels(driver(), "fake", {"k"});
  ASSERT_TRUE(kernels.has_value());
  fake_set_arg_count(2);
  const LaunchSequence sequence = sequence_of(plan, *kernels, pointers);
  ASSERT_EQ(sequence.enqueue(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(fake_launch().args[0], 0x1000U + kMany - 1);
  pointers.back() = 0x77;
  ASSERT_EQ(sequence.enqueue_with(nullptr, pointers, {}), CUDA_SUCCESS);
  EXPECT_EQ(fake_launch().args[0], 0x77U);
}

// The stand-in has a symbol of 64 bytes at 0x5000 for every name.
TEST(LaunchSequence, FillsSymbolsBeforeTheLaunches) {
  LaunchPlan plan = plan_with({});
  plan.buffers = {buffer("filter", 9)};
  plan.symbols = {{"d_filter", 0, {}}, {"d_n", -1, {"d_n", DType::int64, 7, 7, false}}};
  const auto kernels = load_kernels(driver(), "fake", {"k", "d_filter", "d_n"}, 2);
  ASSERT_TRUE(kernels.has_value());
  ASSERT_EQ(kernels->functions.size(), 1U);
  ASSERT_EQ(kernels->symbols.size(), 2U);
  const LaunchSequence sequence = sequence_of(plan, *kernels, {0x1000});
  const CUdeviceptr other = 0x2000;
  ASSERT_EQ(sequence.enqueue_with(nullptr, {&other, 1}, {}), CUDA_SUCCESS);
  const FakeLaunch seen = fake_launch();
  EXPECT_EQ(seen.copied_to, 0x5000U);
  EXPECT_EQ(seen.copied_from, 0x2000U);
  EXPECT_EQ(seen.copied_bytes, 36U);
  EXPECT_EQ(seen.words, (7U << 1) + 0U) << "the lower word, then the upper one";
}

// The attribute that a sequence with this request sets for the function.
int attribute_with(const std::string& function, std::uint32_t shared_bytes, unsigned cluster,
                   CUfunction_attribute which) {
  LaunchPlan plan = plan_with({});
  plan.launches[0].shared_bytes = shared_bytes;
  plan.launches[0].cluster.x = cluster;
  const auto kernels = load_kernels(driver(), "fake", {function});
  EXPECT_TRUE(kernels.has_value());
  EXPECT_EQ(sequence_of(plan, *kernels, {}).enqueue(nullptr), CUDA_SUCCESS);
  return fake_function_attribute(function.c_str(), which);
}

TEST(LaunchSequence, RaisesTheLimitOfSharedMemoryAndNeverLowersIt) {
  const auto limit = [](std::uint32_t shared) {
    return attribute_with("shared", shared, 1, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  };
  EXPECT_EQ(limit(48 * 1024), 0) << "every function has it";
  EXPECT_EQ(limit(48 * 1024 + 1), 48 * 1024 + 1);
  EXPECT_EQ(limit(100 * 1024), 100 * 1024);
  EXPECT_EQ(limit(60 * 1024), 100 * 1024) << "another sequence may hold the function";
}

TEST(LaunchSequence, AsksForClustersOfMoreThanEightBlocks) {
  const auto asked = [](unsigned cluster) {
    return attribute_with("cluster", 0, cluster, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  };
  EXPECT_EQ(asked(8), 0);
  EXPECT_EQ(asked(16), 1);
}

TEST(LaunchSequence, RefusesASymbolThatIsTooSmall) {
  LaunchPlan plan = plan_with({});
  plan.buffers = {buffer("filter", 17)};
  plan.symbols = {{"d_filter", 0, {}}};
  const auto kernels = load_kernels(driver(), "fake", {"k", "d_filter"}, 1);
  ASSERT_TRUE(kernels.has_value());
  const std::vector<CUdeviceptr> pointers = {0x1000};
  const auto made = LaunchSequence::make(driver(), plan, kernels->functions, pointers, kernels->symbols);
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("the symbol d_filter has 64 bytes, but the buffer filter has 68"));
}

} // namespace
} // namespace warptune
