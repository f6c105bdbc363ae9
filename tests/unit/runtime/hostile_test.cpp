// Conditions that an application cannot control: the host's or the device's memory runs out, the device is lost, a
// stream belongs to another context. Every call returns a status with a message, nothing is launched that was not asked
// for, and the library continues if it can.
#include "support/count_allocations.h"
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/fixture.h"
#include "warptune/warptune.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <array>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <functional>
#include <thread>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

class RuntimeHostile : public testing::Test {
 protected:
  static inline void* const kOther = reinterpret_cast<void*>(0x4000);
  static inline void* const kStream = reinterpret_cast<void*>(0x99);
  RuntimeHostile() {
    add_tuned(path(), {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1", "Fake H200", "fake image"},
                       {"n=4096;fp32;mode=plain", "WIDTH=4,SPLIT=2", "Fake H200", "fake image of two"}});
    setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
    static std::uintptr_t contexts = 0x20000; // unique, because modules stay loaded in their context
    context_ = reinterpret_cast<void*>(contexts += 0x100);
    fake_set_context(context_);
    fake_set_arg_count(4);
    library_ = open_library(path());
    kernel_ = find_kernel(library_);
  }
  ~RuntimeHostile() override {
    fail_allocations(-1);
    fake_fail_launches(0);
    fake_fail_loads(0);
    fake_set_stream_context(nullptr, nullptr);
  }
  std::filesystem::path path() const { return dir_ / "t.db"; }

  wt_status select(std::int64_t n) {
    const wt_operation* operation = nullptr;
    return wt_select(kernel_, &n, 1, 0, kStream, &operation);
  }
  wt_status run(std::int64_t n) {
    const std::uint64_t x = 0x10000, y = 0x20000;
    const float alpha = 2.5F;
    const std::array<const void*, 3> args = {&x, &alpha, &y};
    return wt_run(kernel_, &n, 1, args.data(), 3, reinterpret_cast<void*>(0x40000), 1 << 20, kStream);
  }

  TempDir dir_;
  void* context_ = nullptr;
  LibraryHandle library_;
  const wt_kernel* kernel_ = nullptr;
};

// Whichever allocation fails first, and all after it: the call returns a status, and later calls work.
TEST_F(RuntimeHostile, HostMemoryMayRunOutAnywhere) {
  const std::int64_t exact = 1024, untuned = 2048, other = 3072;
  const char* text = nullptr;
  const wt_operation* operation = nullptr;
  const wt_kernel* kernel = nullptr;
  wt_library* library = nullptr;
  const std::string file = path().string(), misses = (dir_ / "misses.json").string();
  const std::vector<std::pair<const char*, std::function<wt_status()>>> calls = {
      {"open", [&] { return wt_open(file.c_str(), &library); }},
      {"find", [&] { return wt_find_kernel(library, "blend", "fp32", "mode=plain", &kernel); }},
      {"explain", [&] { return wt_kernel_explain(kernel, &untuned, 1, 0, "Fake H200", nullptr, &text); }},
      {"select", [&] { return wt_select(kernel, &exact, 1, 0, nullptr, &operation); }},
      {"select another", [&] { return wt_select(kernel, &untuned, 1, 0, nullptr, &operation); }},
      {"prefetch", [&] { return wt_prefetch(kernel, &other, 1, 0); }},
      {"prepare", [&] { return wt_prepare(library, "blend", "n=4096", "", "", &operation); }},
      {"reload", [&] { return wt_reload(library, nullptr); }},
      {"misses", [&] { return wt_write_misses(library, misses.c_str()); }},
  };
  for (const auto& [name, call] : calls) {
    wt_status status = WT_INTERNAL;
    long after = 0;
    for (; status != WT_OK && after < 20000; after += after < 300 ? 1 : 7) {
      fail_allocations(after);
      status = call();
      fail_allocations(-1);
      if (status == WT_OK) break;
      ASSERT_THAT(status, AnyOf(WT_INTERNAL, WT_DATABASE)) << name << " " << after << ": " << wt_last_error();
      ASSERT_GT(std::strlen(wt_last_error()), 10u) << name << " " << after;
    }
    ASSERT_EQ(status, WT_OK) << name;
    EXPECT_TRUE(after > 0 || name == std::string("reload")) << name << " needs memory";
  }
  EXPECT_EQ(wt_operation_match(operation), WT_MATCH_EXACT);
  EXPECT_TRUE(std::filesystem::exists(misses)) << "what could not be written was counted no more";
  fail_allocations(0);
  wt_close(library);
  fail_allocations(-1);
}

// A reload that fails must not take half of the new content: the next one must find it new.
TEST_F(RuntimeHostile, AReloadWithoutMemoryIsRepeatedByTheNext) {
  wt_library* library = nullptr;
  const wt_kernel* kernel = nullptr;
  ASSERT_EQ(wt_open(path().c_str(), &library), WT_OK) << wt_last_error();
  for (const char* mode : {"mode=plain", "mode=clamped"})
    ASSERT_EQ(wt_find_kernel(library, "blend", "fp32", mode, &kernel), WT_OK) << wt_last_error();
  const auto reload = [&] {
    int is_new = 0;
    EXPECT_EQ(wt_reload(library, &is_new), WT_OK) << wt_last_error();
    return is_new;
  };
  auto time = std::filesystem::last_write_time(path());
  const auto change = [&] { std::filesystem::last_write_time(path(), time += std::chrono::seconds(1)); };
  change();
  const long before = allocation_count();
  ASSERT_EQ(reload(), 1);
  const long needed = allocation_count() - before;
  for (long after = std::max(0L, needed - 16); after < needed; ++after) {
    change();
    fail_allocations(after);
    const wt_status status = wt_reload(library, nullptr);
    fail_allocations(-1);
    EXPECT_TRUE(status == WT_OK || reload() == 1) << after << " of " << needed;
  }
  wt_close(library);
}

TEST_F(RuntimeHostile, ALibraryIsClosedThoughItsMissesFindNoMemory) {
  const std::string misses = (dir_ / "misses.json").string();
  const wt_options options = {sizeof(wt_options), -1, misses.c_str(), 0};
  wt_library* library = nullptr;
  ASSERT_EQ(wt_open_with(path().c_str(), &options, &library), WT_OK) << wt_last_error();
  ASSERT_EQ(wt_find_kernel(library, "blend", "fp32", "mode=plain", &kernel_), WT_OK) << wt_last_error();
  ASSERT_EQ(select(2048), WT_OK) << wt_last_error();
  fail_allocations(0);
  wt_close(library);
  fail_allocations(-1);
  EXPECT_TRUE(std::filesystem::exists(misses)) << "written when the shape was first seen";
}

TEST_F(RuntimeHostile, BadInputNeedsNoMemoryToBeRefused) {
  fail_allocations(0);
  const wt_status null = wt_open_with(nullptr, nullptr, nullptr), selected = select(-1);
  fail_allocations(-1);
  EXPECT_THAT(null, AnyOf(WT_BAD_INPUT, WT_INTERNAL));
  EXPECT_THAT(selected, AnyOf(WT_BAD_INPUT, WT_INTERNAL));
}

TEST_F(RuntimeHostile, AFullDeviceIsNoFaultOfTheProgram) {
  wt_options strict{};
  strict.size = sizeof strict;
  wt_library* opened = nullptr;
  ASSERT_EQ(wt_open_with(path().c_str(), &strict, &opened), WT_OK);
  library_.reset(opened);
  kernel_ = find_kernel(library_);
  fake_fail_loads(CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(select(1024), WT_INTERNAL);
  EXPECT_THAT(wt_last_error(), AllOf(HasSubstr("cannot prepare blend n=1024"), HasSubstr("cannot load")));
  EXPECT_EQ(run(1024), WT_INTERNAL);
  fake_fail_loads(0);
  const std::int64_t n = 1024;
  const wt_operation* operation = nullptr;
  ASSERT_EQ(wt_select(kernel_, &n, 1, 0, kStream, &operation), WT_OK) << wt_last_error();
  EXPECT_EQ(wt_operation_match(operation), WT_MATCH_EXACT) << "its program is as good as it was";
  fake_fail_launches(CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(run(1024), WT_INTERNAL);
  fake_fail_launches(0);
  EXPECT_EQ(run(1024), WT_OK) << wt_last_error();
}

TEST_F(RuntimeHostile, ALostDeviceIsNoDevice) {
  ASSERT_EQ(run(1024), WT_OK) << wt_last_error();
  for (const CUresult fault : {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_ECC_UNCORRECTABLE, CUDA_ERROR_LAUNCH_FAILED,
                               CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_UNKNOWN}) {
    fake_fail_loads(fault);
    fake_fail_launches(fault);
    EXPECT_EQ(select(4096), WT_NO_DEVICE) << fault << wt_last_error();
    EXPECT_THAT(wt_last_error(), HasSubstr("cannot prepare blend n=4096"));
    EXPECT_EQ(run(1024), WT_NO_DEVICE) << fault << wt_last_error();
  }
}

TEST_F(RuntimeHostile, AStreamOfAnotherContextIsRefused) {
  ASSERT_EQ(run(1024), WT_OK) << wt_last_error();
  const int launched = fake_launch().count;
  fake_set_stream_context(kStream, kOther);
  EXPECT_EQ(run(1024), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("check that the stream belongs to the current context"));
  const std::int64_t n = 1024;
  const wt_operation* operation = nullptr;
  ASSERT_EQ(wt_select(kernel_, &n, 1, 0, kStream, &operation), WT_OK) << "nothing is enqueued";
  const std::uint64_t x = 0x10000;
  const float alpha = 1;
  const std::array<const void*, 3> args = {&x, &alpha, &x};
  EXPECT_EQ(wt_launch(operation, args.data(), 3, nullptr, kStream), WT_BAD_INPUT);
  EXPECT_EQ(fake_launch().count, launched);
  fake_set_context(kOther);
  EXPECT_EQ(run(1024), WT_OK) << "selected anew in the stream's own: " << wt_last_error();
}

// Threads that wait for a selection get its error if it fails.
TEST_F(RuntimeHostile, WhoWaitsForASelectionThatFailsGetsAnError) {
  std::array<wt_status, 6> found{};
  std::vector<std::thread> threads;
  for (wt_status& mine : found)
    threads.emplace_back([&] {
      fake_set_context(context_);
      fail_allocations(120);
      mine = select(1024);
      fail_allocations(-1);
    });
  for (std::thread& thread : threads) thread.join();
  for (const wt_status mine : found) EXPECT_THAT(mine, AnyOf(WT_OK, WT_INTERNAL, WT_DATABASE));
  EXPECT_EQ(select(1024), WT_OK) << wt_last_error();
}

// The key of a cubin depends on its source, options and instances: a row that was edited to name another cubin finds
// none.
TEST(RuntimeEdited, AResultThatNamesAnotherProgramIsNotLaunchedWithIt) {
  const TempDir dir;
  add_tuned(dir / "t.db", {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1", "Fake H200", "fake image"},
                           {"n=512;fp32;mode=plain", "WIDTH=2,SPLIT=1", "Fake H200", "fake other"}});
  const auto explained = [&] { // nothing is compiled instead
    const warptune::v0::Library library((dir / "t.db").string(), {0, {}});
    return library.kernel("blend").explain({1024}, "Fake H200").text;
  };
  EXPECT_THAT(explained(), HasSubstr("WIDTH=4,SPLIT=1 (exact"));
  SQLite::Database((dir / "t.db").string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE best SET cubin_hash = (SELECT cubin_hash FROM best WHERE id = 2) WHERE id = 1");
  EXPECT_THAT(explained(), testing::Not(HasSubstr("(exact")));
}

} // namespace
} // namespace warptune::test
