// Calls whose small buffers are less aligned than the large ones, over a stand-in for the driver: the configuration
// that they get.
#include "support/count_allocations.h"
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/fixture.h"
#include "warptune/warptune.hpp"

#include <array>

namespace warptune::test {
namespace {

using testing::HasSubstr;

// WIDTH=4 needs large buffers that are aligned to 16 bytes, and a workspace. WIDTH=1 needs neither. The scales have as
// many elements as x, but half the bytes.
constexpr const char* kScaledSpec = R"json({
  "format": 2, "name": "scaled", "summary": "y = x * scale",
  "problem": {"dims": {"n": {}}, "dtypes": ["fp32"]},
  "params": {"WIDTH": {"values": [1, 4], "default": 1}},
  "arguments": {
    "scale": {"buffer": "bf16", "count": "n", "role": "input", "align": "4"},
    "x": {"buffer": "dtype", "count": "n", "role": "input", "align": "4 * WIDTH"},
    "bias": {"buffer": "dtype", "count": "n", "role": "input", "align": "4 * WIDTH", "when": "n == 128"},
    "space": {"buffer": "fp32", "count": "WIDTH == 4 ? n : 0", "role": "workspace"},
    "y": {"buffer": "dtype", "count": "n", "role": "output", "align": "4 * WIDTH"}
  },
  "launches": [{"kernel": "k", "template": ["WIDTH"], "grid": ["WIDTH"], "block": [32],
                "args": ["scale", "x", "bias", "space", "y"]}],
  "reference": {"launches": [{"kernel": "r", "grid": [1], "block": [32], "args": ["scale", "x", "bias", "y"]}]},
  "cost": {"bytes_read": "n", "bytes_written": "n", "flops": {}},
  "tolerance": {"default": {"rtol": 1e-6}}
})json";

KernelRecord scaled_record() {
  KernelRecord record = blend_record();
  record.name = "scaled";
  record.files.back().second = kScaledSpec;
  return with_own_hash(std::move(record));
}

class RuntimeAlignment : public testing::Test {
 protected:
  static inline void* const kStream = reinterpret_cast<void*>(0x99);
  static inline void* const kWorkspace = reinterpret_cast<void*>(0x40000);
  RuntimeAlignment() {
    add_tuned(dir_ / "t.db",
              {{"n=64;fp32", "WIDTH=4", "Fake H200", "fake wide"},
               {"n=128;fp32", "WIDTH=4", "Fake H200", "fake wide"},
               {"n=256;fp32", "WIDTH=1", "Fake H200", "fake narrow"}},
              scaled_record());
    fake_set_context(reinterpret_cast<void*>(0x7000));
    fake_set_arg_count(5);
    library_ = open_library(dir_ / "t.db");
    kernel_ = find_kernel(library_, "scaled");
  }
  // Returns the width of the configuration that was launched, or the status if the call failed.
  std::string run(std::uint64_t scale, std::uint64_t x, std::uint64_t y, std::size_t workspace_bytes = 512,
                  std::int64_t n = 64) {
    const std::array<const void*, 4> args = {&scale, &x, &x, &y};
    const wt_status status = wt_run(kernel_, &n, 1, args.data(), 4, kWorkspace, workspace_bytes, kStream);
    if (status != WT_OK) return wt_status_name(status);
    EXPECT_EQ(fake_launch().args[0], scale);
    EXPECT_EQ(fake_launch().args[1], x);
    return std::to_string(fake_launch().grid);
  }

  TempDir dir_;
  LibraryHandle library_;
  const wt_kernel* kernel_ = nullptr;
};

TEST_F(RuntimeAlignment, ASmallBufferDoesNotNarrowTheLargeOnes) {
  EXPECT_EQ(run(0x10000, 0x20000, 0x30000), "4");
  EXPECT_EQ(run(0x10004, 0x20000, 0x30000), "4");
  EXPECT_EQ(run(0x10004, 0x20000, 0x30000, 512, 128), "4") << "with an optional buffer";
  EXPECT_EQ(run(0x10000, 0x20004, 0x30000), "1");
  EXPECT_EQ(run(0x10000, 0x20000, 0x30008), "1");
  EXPECT_EQ(run(0x10004, 0x20000, 0x30008), "1");
  EXPECT_EQ(run(0x10002, 0x20000, 0x30000), "no candidate") << "the kernel needs 4 bytes for the scale";
  EXPECT_THAT(wt_last_error(), HasSubstr("only 2 bytes are guaranteed"));
}

// The caller may have asked for the workspace of the operation for the alignment of all buffers.
TEST_F(RuntimeAlignment, AWorkspaceForTheNarrowConfigurationIsEnough) {
  EXPECT_EQ(run(0x10004, 0x20000, 0x30000, 255), "1");
  EXPECT_EQ(run(0x10004, 0x20000, 0x30000, 256), "4");
  EXPECT_EQ(run(0x10000, 0x20000, 0x30000, 255), "bad input");
  EXPECT_THAT(wt_last_error(), HasSubstr("needs a workspace of 256 bytes"));
}

TEST_F(RuntimeAlignment, WarmCallsNeitherAllocateNorLoad) {
  ASSERT_EQ(run(0x10004, 0x20000, 0x30000), "4");
  const std::uint64_t scale = 0x10004, x = 0x20000, y = 0x30000;
  const std::array<const void*, 4> args = {&scale, &x, &x, &y};
  const std::int64_t n = 64;
  const int modules = fake_modules_loaded();
  const long before = allocation_count();
  for (int i = 0; i < 10; ++i) ASSERT_EQ(wt_run(kernel_, &n, 1, args.data(), 4, kWorkspace, 256, kStream), WT_OK);
  EXPECT_EQ(allocation_count(), before);
  EXPECT_EQ(fake_modules_loaded(), modules);
}

TEST_F(RuntimeAlignment, DuringACaptureAPrefetchedConfigurationIsUsed) {
  const std::int64_t n = 64;
  fake_capture(kStream);
  EXPECT_EQ(run(0x10004, 0x20000, 0x30000), "not ready");
  ASSERT_EQ(wt_prefetch(kernel_, &n, 1, 4), WT_OK);
  EXPECT_EQ(run(0x10004, 0x20000, 0x30000), "1") << "the configuration for the alignment of all buffers";
  ASSERT_EQ(wt_prefetch(kernel_, &n, 1, 0), WT_OK);
  EXPECT_EQ(run(0x10004, 0x20000, 0x30000), "4");
  fake_capture(nullptr);
}

TEST_F(RuntimeAlignment, TheOperationOfARunCanBeSelected) {
  const std::uint64_t scale = 0x10004, x = 0x20000, y = 0x30000;
  const std::array<const void*, 4> args = {&scale, &x, nullptr, &y};
  const std::int64_t n = 64;
  const wt_operation* operation = nullptr;
  ASSERT_EQ(wt_select_for(kernel_, &n, 1, args.data(), 4, kStream, &operation), WT_OK) << wt_last_error();
  EXPECT_STREQ(wt_operation_config(operation), "WIDTH=4");
  EXPECT_EQ(wt_operation_workspace_bytes(operation), 256u);
  EXPECT_EQ(wt_select_for(kernel_, &n, 1, args.data(), 3, kStream, &operation), WT_BAD_INPUT);
  EXPECT_EQ(operation, nullptr);
  EXPECT_THAT(wt_last_error(), HasSubstr("scaled takes 4: scale, x, bias, y"));
  EXPECT_EQ(wt_select_for(kernel_, &n, 1, nullptr, 4, kStream, &operation), WT_BAD_INPUT);
  EXPECT_EQ(wt_select_for(nullptr, &n, 1, args.data(), 4, kStream, &operation), WT_BAD_INPUT);
  EXPECT_EQ(wt_select_for(kernel_, &n, 1, args.data(), 4, kStream, nullptr), WT_BAD_INPUT);
  EXPECT_EQ(wt_select_for(kernel_, &n, 2, args.data(), 4, kStream, &operation), WT_BAD_INPUT);
}

TEST_F(RuntimeAlignment, TheCppInterfaceReservesTheWorkspaceOfTheWideConfiguration) {
  const warptune::Kernel kernel(kernel_);
  std::size_t reserved = 0;
  warptune::Workspace workspace(
      [&](std::size_t bytes) {
        reserved = bytes;
        return kWorkspace;
      },
      [](void*) {});
  const std::uint64_t scale = 0x10004, x = 0x20000, y = 0x30000;
  kernel.run(kStream, {128}, workspace, scale, x, x, y);
  EXPECT_EQ(fake_launch().grid, 4u);
  EXPECT_EQ(reserved, 512u);
}

} // namespace
} // namespace warptune::test
