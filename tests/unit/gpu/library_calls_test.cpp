// Library calls in launch sequences, over a stand-in for the driver.
#include "gpu/launch.h"
#include "gpu/library_calls.h"
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/gpu/loaded_driver.h"

#include <cstdlib>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using test::FakeLaunch;
using ::testing::HasSubstr;

constexpr ArgRef kAbsent{ArgRef::Kind::absent, -1};

LibraryCallPlan copy(std::int64_t bytes, ArgRef to, ArgRef from, std::size_t position) {
  return {"driver", "copy", {{"bytes", bytes}}, {{"to", to}, {"from", from}}, position};
}
LibraryCallPlan fill(std::int64_t bytes, std::int64_t pattern, std::int64_t pattern_bytes) {
  return {"driver",
          "fill",
          {{"bytes", bytes}, {"pattern", pattern}, {"pattern_bytes", pattern_bytes}},
          {{"to", {ArgRef::Kind::buffer, 1}}},
          0};
}

// Two kernels and two buffers of 64 bytes.
struct LibrarySequence : ::testing::Test {
  LibrarySequence() {
    fake_set_arg_count(0);
    plan.name_expressions = {"k"};
    plan.launches.resize(2);
    for (KernelLaunch& launch : plan.launches) launch.name_expression = "k";
    plan.buffers = {{"x", DType::fp32, 16, Role::input, {}, false, 16},
                    {"y", DType::fp32, 16, Role::output, {}, false, 16}};
  }
  Result<LaunchSequence> make() {
    kernels = load_kernels(test::loaded_driver(), "fake", std::vector<std::string>(plan.name_expressions.size(), "k"))
                  .value();
    return LaunchSequence::make(test::loaded_driver(), plan, kernels.functions,
                                std::vector<CUdeviceptr>{0x1000, 0x2000});
  }
  std::string refusal() {
    const auto made = make();
    EXPECT_FALSE(made.has_value());
    if (made) return {};
    EXPECT_EQ(made.error().kind, ErrorKind::no_candidate);
    return made.error().message;
  }

  const ArgRef x{ArgRef::Kind::buffer, 0}, y{ArgRef::Kind::buffer, 1};
  LaunchPlan plan;
  LoadedKernels kernels;
};

TEST_F(LibrarySequence, CallsStandInTheirPlace) {
  for (const std::size_t position : {0U, 1U, 2U}) {
    plan.library_calls = {copy(48, y, x, position)};
    const auto sequence = make();
    ASSERT_TRUE(sequence.has_value()) << sequence.error().message;
    EXPECT_EQ(sequence->launch_count(), 3U);
    const int before = fake_launch().count;
    ASSERT_EQ(sequence->enqueue(nullptr), CUDA_SUCCESS);
    const FakeLaunch seen = fake_launch();
    EXPECT_EQ(seen.count, before + 2);
    EXPECT_EQ(seen.copied_after, before + static_cast<int>(position));
    EXPECT_EQ(seen.copied_to, 0x2000U);
    EXPECT_EQ(seen.copied_from, 0x1000U);
    EXPECT_EQ(seen.copied_bytes, 48U);
  }
}

TEST_F(LibrarySequence, NothingFollowsACallThatFails) {
  for (const std::size_t position : {0U, 1U, 2U}) {
    plan.library_calls = {copy(48, y, x, position)};
    (void)make();
    const auto sequence =
        LaunchSequence::make(test::loaded_driver(), plan, kernels.functions, std::vector<CUdeviceptr>{0x1000, 0})
            .value();
    const int before = fake_launch().count;
    EXPECT_EQ(sequence.enqueue(nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(fake_launch().count, before + static_cast<int>(position));
  }
}

TEST_F(LibrarySequence, AloneNeedsNoProgramAndTakesOtherBuffers) {
  plan.launches.clear();
  plan.name_expressions.clear();
  plan.library_calls = {copy(64, y, x, 0)};
  const auto sequence = LaunchSequence::make(test::loaded_driver(), plan, {}, std::vector<CUdeviceptr>{0x1000, 0x2000});
  ASSERT_TRUE(sequence.has_value()) << sequence.error().message;
  const std::vector<CUdeviceptr> others = {0x7000, 0};
  ASSERT_EQ(sequence->enqueue_with(nullptr, others, {}), CUDA_SUCCESS);
  EXPECT_EQ(fake_launch().copied_from, 0x7000U);
  EXPECT_EQ(fake_launch().copied_to, 0x2000U) << "null: as made";
}

TEST_F(LibrarySequence, FillsByBytesOrByWords) {
  plan.library_calls = {fill(64, 0xAB, 1)};
  ASSERT_EQ(make()->enqueue(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(fake_launch().cleared, 0x2000U);
  EXPECT_EQ(fake_launch().cleared_bytes, 64U);
  EXPECT_EQ(fake_launch().cleared_with, 0xABU);
  plan.library_calls = {fill(64, 0x3F800000, 4)};
  const unsigned before = fake_launch().words;
  ASSERT_EQ(make()->enqueue(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(fake_launch().words, 2 * before + 0x3F800000);
  EXPECT_EQ(fake_launch().word_count, 16U);
}

TEST_F(LibrarySequence, RefusesWhatIsNotPossible) {
  plan.library_calls = {copy(65, y, x, 0)};
  EXPECT_THAT(refusal(), HasSubstr("driver.copy: 'bytes' is 65, but the buffer 'y' has 64"));
  plan.library_calls = {copy(4, y, kAbsent, 0)};
  EXPECT_THAT(refusal(), HasSubstr("the argument 'from' does not exist for this problem"));
  plan.library_calls = {copy(0, y, kAbsent, 0)};
  EXPECT_TRUE(make().has_value()) << "nothing is copied";
  plan.library_calls = {fill(64, 256, 1)};
  EXPECT_THAT(refusal(), HasSubstr("'pattern' is 256, which does not fit one byte"));
  plan.library_calls = {fill(62, 1, 4)};
  EXPECT_THAT(refusal(), HasSubstr("'bytes' is 62, which is not a multiple"));
  plan.library_calls = {fill(64, 1, 2)};
  EXPECT_THAT(refusal(), HasSubstr("'pattern_bytes' is 2; it must be 1 or 4"));
}

TEST_F(LibrarySequence, SaysWhichLibraryIsMissing) {
  plan.library_calls = {copy(64, y, x, 0)};
  setenv("WARPTUNE_DISABLE_LIBRARIES", "cublaslt, driver", 1);
  EXPECT_THAT(refusal(), HasSubstr("the library 'driver' is disabled by WARPTUNE_DISABLE_LIBRARIES"));
  unsetenv("WARPTUNE_DISABLE_LIBRARIES");
  EXPECT_TRUE(make().has_value());
  plan.library_calls.front().library = "other";
  EXPECT_THAT(refusal(), HasSubstr("does not support the library 'other'"));
}

TEST(DriverLibrary, HasTheVersionOfTheDriver) {
  const auto library = find_vendor_library("driver");
  ASSERT_TRUE(library.has_value());
  EXPECT_EQ((*library)->version(test::loaded_driver()).value(), "13.0");
}

} // namespace
} // namespace warptune
