// An operation whose problem lacks some of the kernel's arguments: the arguments that it requires, and those that its
// kernel gets.
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/mixed_fixture.h"
#include "warptune/warptune.h"

namespace warptune::test {
namespace {

class RuntimeAbsentArguments : public ::testing::Test {
 protected:
  RuntimeAbsentArguments() {
    fake_set_context(reinterpret_cast<void*>(0x6000));
    fake_set_arg_count(4);
    const std::filesystem::path path = dir_ / "mix.db";
    add_mixed(path);
    wt_options options{};
    options.size = sizeof options;
    EXPECT_EQ(wt_open_with(path.c_str(), &options, &library_), WT_OK) << wt_last_error();
    EXPECT_EQ(wt_find_kernel(library_, "mix", nullptr, nullptr, &kernel_), WT_OK) << wt_last_error();
  }
  ~RuntimeAbsentArguments() override { wt_close(library_); }

  TempDir dir_;
  wt_library* library_ = nullptr;
  const wt_kernel* kernel_ = nullptr;
  const void *x_ = reinterpret_cast<void*>(0x1000), *bias_ = reinterpret_cast<void*>(0x2000),
             *y_ = reinterpret_cast<void*>(0x3000);
  float beta_ = 3;
};

TEST_F(RuntimeAbsentArguments, TheSignatureHasAll) {
  ASSERT_EQ(wt_kernel_arg_count(kernel_), 4);
  EXPECT_STREQ(wt_kernel_arg_name(kernel_, 1), "bias");
}

TEST_F(RuntimeAbsentArguments, AnOperationAsksForWhatExists) {
  const wt_operation* operation = nullptr;
  std::int64_t n = 64;
  ASSERT_EQ(wt_select(kernel_, &n, 1, 0, nullptr, &operation), WT_OK) << wt_last_error();
  ASSERT_EQ(wt_operation_arg_count(operation), 2);
  EXPECT_STREQ(wt_operation_arg_name(operation, 1), "y");
  const void* args[] = {&x_, &y_};
  ASSERT_EQ(wt_launch(operation, args, 2, nullptr, nullptr), WT_OK) << wt_last_error();
  const FakeLaunch seen = fake_launch();
  EXPECT_EQ(seen.args[0], 0x1000U);
  EXPECT_EQ(seen.args[1], 0U) << "a null pointer";
  EXPECT_EQ(seen.args[2], 0U);
  EXPECT_EQ(seen.args[3], 0x3000U);
}

TEST_F(RuntimeAbsentArguments, RunTakesOneListForAllShapes) {
  const void* args[] = {&x_, &bias_, &beta_, &y_};
  std::int64_t n = 128;
  ASSERT_EQ(wt_run(kernel_, &n, 1, args, 4, nullptr, 0, nullptr), WT_OK) << wt_last_error();
  EXPECT_EQ(fake_launch().args[1], 0x2000U);
  n = 64;
  const void* without[] = {&x_, nullptr, nullptr, &y_};
  ASSERT_EQ(wt_run(kernel_, &n, 1, without, 4, nullptr, 0, nullptr), WT_OK) << wt_last_error();
  const FakeLaunch seen = fake_launch();
  EXPECT_EQ(seen.args[1], 0U);
  EXPECT_EQ(seen.args[3], 0x3000U);
}

// They are neither read nor checked for alignment, in the first call and in later ones.
TEST_F(RuntimeAbsentArguments, RunLooksAtNoAbsentEntry) {
  std::int64_t n = 64;
  const wt_operation* aligned = nullptr;
  ASSERT_EQ(wt_select(kernel_, &n, 1, 0, nullptr, &aligned), WT_OK) << wt_last_error();
  const void* odd = reinterpret_cast<void*>(0x2001);
  const void* nowhere = reinterpret_cast<void*>(0x8);
  const void* const absent[] = {nowhere, &odd, nullptr, nowhere};
  for (const void* given : absent) {
    const void* args[] = {&x_, given, nowhere, &y_};
    ASSERT_EQ(wt_run(kernel_, &n, 1, args, 4, nullptr, 0, nullptr), WT_OK) << given << ": " << wt_last_error();
    EXPECT_EQ(fake_launch().args[1], 0U);
    EXPECT_EQ(fake_launch().args[3], 0x3000U);
  }
  n = 128;
  const void* args[] = {&x_, &odd, &beta_, &y_};
  EXPECT_NE(wt_run(kernel_, &n, 1, args, 4, nullptr, 0, nullptr), WT_OK) << "it exists and is not aligned";
}

} // namespace
} // namespace warptune::test
