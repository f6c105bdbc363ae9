// Kernels by handle and shapes by numbers, over a stand-in for the driver: repeated selections without work, operations
// during a capture, changes by newer files, refusals.
#include "support/count_allocations.h"
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/fixture.h"
#include "warptune/warptune.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RuntimeSelect : public testing::Test {
 protected:
  static inline void* const kContext = reinterpret_cast<void*>(0x3000);
  static inline void* const kOther = reinterpret_cast<void*>(0x4000);
  static inline void* const kStream = reinterpret_cast<void*>(0x99);
  RuntimeSelect() {
    add_tuned(path(), {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1", "Fake H200", "fake image"},
                       {"n=4096;fp32;mode=plain", "WIDTH=4,SPLIT=2", "Fake H200", "fake image of two"},
                       {"n=512;fp32;mode=clamped", "WIDTH=2,SPLIT=1", "Fake H200", "fake clamped"}});
    fake_set_context(kContext);
    fake_fail_launches(0);
    fake_set_arg_count(4);
    open();
  }
  ~RuntimeSelect() override { fake_capture(nullptr); }

  std::filesystem::path path() const { return dir_ / "t.db"; }
  void open() {
    library_ = open_library(path());
    kernel_ = find_kernel(library_);
  }
  wt_status select(std::int64_t n, const wt_operation** out, std::size_t alignment = 0) {
    return wt_select(kernel_, &n, 1, alignment, kStream, out);
  }
  const wt_operation* selected(std::int64_t n) {
    const wt_operation* operation = nullptr;
    EXPECT_EQ(select(n, &operation), WT_OK) << wt_last_error();
    return operation;
  }
  wt_status run(std::int64_t n, std::uint64_t x, std::uint64_t y, void* workspace = nullptr, std::size_t bytes = 0) {
    const float alpha = 2.5F;
    const std::array<const void*, 3> args = {&x, &alpha, &y};
    return wt_run(kernel_, &n, 1, args.data(), 3, workspace, bytes, kStream);
  }

  TempDir dir_;
  LibraryHandle library_;
  const wt_kernel* kernel_ = nullptr;
};

TEST_F(RuntimeSelect, AKernelDescribesItself) {
  EXPECT_EQ(find_kernel(library_, "blend", "fp32", "mode=plain"), kernel_) << "the defaults, written out";
  EXPECT_NE(find_kernel(library_, "blend", "fp32", "mode=clamped"), kernel_);
  EXPECT_EQ(wt_kernel_dim_count(kernel_), 1);
  EXPECT_STREQ(wt_kernel_dim_name(kernel_, 0), "n");
  EXPECT_EQ(wt_kernel_dim_name(kernel_, 1), nullptr);
  ASSERT_EQ(wt_kernel_arg_count(kernel_), 3);
  EXPECT_STREQ(wt_kernel_arg_name(kernel_, 1), "alpha");
  EXPECT_EQ(wt_kernel_arg_kind(kernel_, 0), WT_ARG_BUFFER);
  EXPECT_EQ(wt_kernel_arg_kind(kernel_, 1), WT_ARG_FLOAT32);
  EXPECT_EQ(wt_kernel_arg_kind(kernel_, 3), WT_ARG_NONE);
}

TEST_F(RuntimeSelect, TheSameAgainIsTheSameOperation) {
  const wt_operation* first = selected(1024);
  EXPECT_EQ(wt_operation_match(first), WT_MATCH_EXACT);
  EXPECT_EQ(selected(1024), first);
  EXPECT_NE(selected(4096), first);
  EXPECT_EQ(prepare(library_, "n=1024").get(), first) << "texts lead to the same";
  const wt_operation* wide = nullptr;
  EXPECT_EQ(select(1024, &wide, 256), WT_OK);
  EXPECT_EQ(wide, first) << "more than 16 bytes count as 16";
  fake_set_context(kOther);
  EXPECT_NE(selected(1024), first);
}

TEST_F(RuntimeSelect, BadSelections) {
  const wt_operation* out = nullptr;
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40, INT64_MIN, INT64_MAX}) {
    EXPECT_EQ(select(n, &out), WT_BAD_INPUT) << n;
    EXPECT_EQ(out, nullptr);
    EXPECT_THAT(wt_last_error(), HasSubstr("1 to 1073741824"));
    EXPECT_EQ(run(n, 0x10000, 0x20000), WT_BAD_INPUT);
  }
  const std::array<std::int64_t, 2> two{1024, 1};
  EXPECT_EQ(wt_select(kernel_, two.data(), 2, 0, kStream, &out), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("2 dims were given, but blend has 1: n"));
  EXPECT_EQ(wt_select(kernel_, two.data(), 0, 0, kStream, &out), WT_BAD_INPUT);
  EXPECT_EQ(wt_select(kernel_, two.data(), -1, 0, kStream, &out), WT_BAD_INPUT);
  EXPECT_EQ(wt_select(kernel_, nullptr, 1, 0, kStream, &out), WT_BAD_INPUT);
  EXPECT_EQ(wt_select(nullptr, two.data(), 1, 0, kStream, &out), WT_BAD_INPUT);
  EXPECT_EQ(wt_select(kernel_, two.data(), 1, 0, kStream, nullptr), WT_BAD_INPUT);
  EXPECT_EQ(select(1024, &out, 12), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("12 is not a power of two"));
  EXPECT_EQ(wt_prefetch(nullptr, two.data(), 1, 0), WT_BAD_INPUT);
}

TEST_F(RuntimeSelect, RunSelectsAndLaunches) {
  ASSERT_EQ(run(1024, 0x10000, 0x20000), WT_OK) << wt_last_error();
  EXPECT_EQ(fake_launch().args[0], 0x10000u);
  EXPECT_EQ(fake_launch().stream, kStream);
  void* const workspace = reinterpret_cast<void*>(0x40000);
  EXPECT_EQ(run(4096, 0x10000, 0x20000), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("needs a workspace of 16640 bytes"));
  EXPECT_EQ(run(4096, 0x10000, 0x20000, workspace, 16639), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("16639 bytes were given"));
  EXPECT_EQ(run(4096, 0x10000, 0x20000, workspace, 16640), WT_OK) << wt_last_error();
  EXPECT_EQ(run(1024, 0, 0x20000), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("null pointer"));
  const std::int64_t n = 1024;
  const std::array<const void*, 3> none{};
  EXPECT_EQ(wt_run(kernel_, &n, 1, none.data(), 3, nullptr, 0, kStream), WT_BAD_INPUT);
  EXPECT_EQ(wt_run(kernel_, &n, 1, none.data(), 2, nullptr, 0, kStream), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("blend takes 3: x, alpha, y"));
  EXPECT_EQ(wt_run(kernel_, &n, 1, nullptr, 3, nullptr, 0, kStream), WT_BAD_INPUT);
  EXPECT_EQ(wt_run(kernel_, &n, 1, none.data(), -3, nullptr, 0, kStream), WT_BAD_INPUT);
}

TEST_F(RuntimeSelect, TheLeastAlignedBufferDecidesWhicheverItIs) {
  EXPECT_EQ(run(1024, 0x10004, 0x20000), WT_NO_CANDIDATE) << wt_last_error();
  EXPECT_EQ(run(1024, 0x10000, 0x20004), WT_NO_CANDIDATE) << wt_last_error();
  EXPECT_THAT(wt_last_error(), HasSubstr("and only 4 bytes are guaranteed"));
}

TEST_F(RuntimeSelect, WarmRunsNeitherAllocateNorLoad) {
  ASSERT_EQ(run(1024, 0x10000, 0x20000), WT_OK);
  const int modules = fake_modules_loaded();
  const long before = allocation_count();
  for (int i = 0; i < 10; ++i) ASSERT_EQ(run(1024, 0x10000, 0x20000), WT_OK);
  EXPECT_EQ(allocation_count(), before);
  EXPECT_EQ(fake_modules_loaded(), modules);
}

TEST_F(RuntimeSelect, ACaptureIsLeftAloneUntilPrefetched) {
  const int modules = fake_modules_loaded();
  const int launches = fake_launch().count;
  fake_capture(kStream);
  const wt_operation* out = nullptr;
  EXPECT_EQ(select(1024, &out), WT_NOT_READY);
  EXPECT_THAT(wt_last_error(), AllOf(HasSubstr("blend n=1024"), HasSubstr("wt_prefetch")));
  EXPECT_STREQ(wt_status_name(WT_NOT_READY), "not ready");
  EXPECT_EQ(run(1024, 0x10000, 0x20000), WT_NOT_READY);
  EXPECT_EQ(fake_modules_loaded(), modules);
  EXPECT_EQ(fake_launch().count, launches);
  // Prefetching during the capture, in this or another thread, does not affect it.
  const std::int64_t n = 1024;
  EXPECT_EQ(wt_prefetch(kernel_, &n, 1, 0), WT_OK) << wt_last_error();
  EXPECT_EQ(fake_loads_that_break_captures(), 0);
  EXPECT_EQ(run(1024, 0x10000, 0x20000), WT_OK) << wt_last_error();
}

TEST_F(RuntimeSelect, NewerContentIsFollowed) {
  const wt_operation* before = selected(1024);
  int changed = 1;
  EXPECT_EQ(wt_reload(library_.get(), &changed), WT_OK) << wt_last_error();
  EXPECT_EQ(changed, 0);
  add_tuned(dir_ / "new.db", {{"n=1024;fp32;mode=plain", "WIDTH=8,SPLIT=1", "Fake H200", "fake newer"}});
  std::filesystem::rename(dir_ / "new.db", path());
  EXPECT_EQ(wt_reload(library_.get(), &changed), WT_OK) << wt_last_error();
  EXPECT_EQ(changed, 1);
  const wt_operation* after = selected(1024);
  EXPECT_STREQ(wt_operation_config(after), "WIDTH=8,SPLIT=1");
  EXPECT_STREQ(wt_operation_config(before), "WIDTH=4,SPLIT=1");
  const float alpha = 1;
  const std::uint64_t x = 0x10000;
  const std::array<const void*, 3> args = {&x, &alpha, &x};
  EXPECT_EQ(wt_launch(before, args.data(), 3, nullptr, kStream), WT_OK) << wt_last_error();
  EXPECT_EQ(wt_launch(after, args.data(), 3, nullptr, kStream), WT_OK) << wt_last_error();
}

TEST_F(RuntimeSelect, NewerContentBringsItsNamesAndSignatures) {
  const int names = wt_kernel_count(library_.get());
  KernelRecord wider = blend_record("newer"), other = blend_record("other");
  std::string& spec = wider.files[2].second;
  spec.insert(spec.find(R"("alpha": {"scalar")"), R"("beta": {"scalar": "fp32", "value": 1, "role": "parameter"}, )");
  other.name = "other";
  std::string& renamed = other.files[2].second;
  renamed.replace(renamed.find("\"blend\""), 7, "\"other\"");
  wider = with_own_hash(wider);
  other = with_own_hash(other);
  {
    Writer writer = must(Writer::open(dir_ / "new.db"));
    must(writer.put_kernel(wider));
    must(writer.put_kernel(other));
  }
  std::filesystem::rename(dir_ / "new.db", path());
  ASSERT_EQ(wt_reload(library_.get(), nullptr), WT_OK) << wt_last_error();
  EXPECT_EQ(wt_kernel_count(library_.get()), names + 1);
  EXPECT_EQ(wt_kernel_arg_count(find_kernel(library_)), 4);
  EXPECT_EQ(wt_kernel_arg_count(kernel_), 3) << "whoever holds the old one keeps it";
}

TEST_F(RuntimeSelect, PathsAreThoseOfTheFolderThatItWasOpenedIn) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  wt_options options{};
  options.size = sizeof options;
  options.jit = 0;
  options.misses_path = "misses.json";
  wt_library* opened = nullptr;
  const wt_status status = wt_open_with("t.db", &options, &opened);
  std::filesystem::current_path(before);
  ASSERT_EQ(status, WT_OK) << wt_last_error();
  library_.reset(opened);
  kernel_ = find_kernel(library_);
  add_tuned(dir_ / "new.db", {{"n=1024;fp32;mode=plain", "WIDTH=8,SPLIT=1", "Fake H200", "fake newer"}});
  std::filesystem::rename(dir_ / "new.db", path());
  int changed = 0;
  EXPECT_EQ(wt_reload(library_.get(), &changed), WT_OK) << wt_last_error();
  EXPECT_EQ(changed, 1);
  EXPECT_STREQ(wt_operation_config(selected(2048)), "WIDTH=8,SPLIT=1");
  EXPECT_EQ(wt_write_misses(library_.get(), nullptr), WT_OK) << wt_last_error();
  EXPECT_TRUE(std::filesystem::exists(dir_ / "misses.json"));
}

TEST_F(RuntimeSelect, ABrokenNewFileLeavesTheOldOneInUse) {
  std::ofstream(dir_ / "new.db") << std::string(5000, 'x');
  std::filesystem::rename(dir_ / "new.db", path());
  int changed = 1;
  EXPECT_EQ(wt_reload(library_.get(), &changed), WT_DATABASE);
  EXPECT_EQ(changed, 0);
  EXPECT_THAT(wt_last_error(), HasSubstr("stays in use"));
  EXPECT_EQ(wt_operation_match(selected(1024)), WT_MATCH_EXACT);
  std::filesystem::remove(path());
  EXPECT_EQ(wt_reload(library_.get(), nullptr), WT_DATABASE);
  EXPECT_EQ(wt_operation_match(selected(4096)), WT_MATCH_EXACT) << "deleted while open";
}

TEST_F(RuntimeSelect, WithoutACompilerOnlyWhatIsStoredRuns) {
  setenv("WARPTUNE_NVRTC", "libno_such_nvrtc.so", 1);
  const warptune::Library strict(path().string(), {0, {}});
  const warptune::Kernel kernel = strict.kernel("blend");
  EXPECT_EQ(kernel.select({1024}).config(), "WIDTH=4,SPLIT=1");
  // WIDTH=4,SPLIT=1 needs another cubin if n is not a multiple of 16; SPLIT=2 does not.
  const warptune::Operation other = kernel.select({1020});
  EXPECT_EQ(other.config(), "WIDTH=4,SPLIT=2");
  EXPECT_THAT(other.explain(), AllOf(HasSubstr("passed over 1 nearer result"), HasSubstr("no cubin")));
  EXPECT_EQ(kernel.explain({1020}, "Fake H200").text, other.explain());
  const warptune::Kernel clamped = strict.kernel("blend", "fp32", "mode=clamped");
  try {
    clamped.select({510});
    FAIL();
  } catch (const warptune::v0::Error& error) {
    EXPECT_EQ(error.status(), WT_NO_CANDIDATE);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("no cubin"), HasSubstr("jit")));
  }
  EXPECT_THROW(clamped.explain({510}, "Fake H200"), warptune::v0::Error);
  EXPECT_EQ(kernel.explain({1024}, "Fake H200").match, WT_MATCH_EXACT);
  unsetenv("WARPTUNE_NVRTC");
}

TEST_F(RuntimeSelect, BadOptions) {
  wt_library* library = nullptr;
  wt_options options{};
  EXPECT_EQ(wt_open_with(path().c_str(), &options, &library), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("sizeof(wt_options)"));
  options.size = sizeof options;
  options.jit = 7;
  EXPECT_EQ(wt_open_with(path().c_str(), &options, &library), WT_BAD_INPUT);
  options.jit = 0;
  EXPECT_EQ(wt_open_with(path().c_str(), &options, &library), WT_OK) << wt_last_error();
  wt_close(library);
}

// No thread has a result before a selection has ended, so the counts show whether the work was done once or several
// times.
TEST_F(RuntimeSelect, ThreadsThatWantTheSameGetOneOperation) {
  for (int round = 0; round < 20; ++round) {
    std::array<const wt_operation*, 6> found{};
    std::vector<std::thread> threads;
    for (const wt_operation*& mine : found)
      threads.emplace_back([&] {
        fake_set_context(kContext);
        mine = selected(1024 * (2 + round));
      });
    for (std::thread& thread : threads) thread.join();
    for (const wt_operation* mine : found) EXPECT_EQ(mine, found.front());
  }
}

TEST_F(RuntimeSelect, AForkedChildIsRefused) {
  const wt_operation* operation = selected(1024);
  const pid_t child = fork();
  if (child == 0) {
    const std::int64_t n = 1024;
    const float alpha = 1;
    const std::uint64_t x = 0x10000;
    const std::array<const void*, 3> args = {&x, &alpha, &x};
    const wt_operation* again = nullptr;
    const wt_kernel* kernel = nullptr;
    wt_library* own = nullptr;
    const char* text = nullptr;
    int failed = 0;
    failed += wt_select(kernel_, &n, 1, 0, nullptr, &again) != WT_NO_DEVICE;
    failed += std::string(wt_last_error()).find("forked") == std::string::npos;
    failed += wt_launch(operation, args.data(), 3, nullptr, nullptr) != WT_NO_DEVICE;
    failed += wt_run(kernel_, &n, 1, args.data(), 3, nullptr, 0, nullptr) != WT_NO_DEVICE;
    failed += wt_prefetch(kernel_, &n, 1, 0) != WT_NO_DEVICE;
    failed += wt_reload(library_.get(), nullptr) != WT_NO_DEVICE;
    failed += wt_find_kernel(library_.get(), "blend", nullptr, nullptr, &kernel) != WT_NO_DEVICE;
    failed += wt_open(path().c_str(), &own) != WT_OK; // a separate library, but CUDA does not work in a forked child
    failed += wt_explain(own, "blend", "n=1024", nullptr, nullptr, "Fake H200", nullptr, &text) != WT_OK;
    failed += wt_prepare(own, "blend", "n=1024", nullptr, nullptr, &again) != WT_NO_DEVICE;
    failed += std::string(wt_last_error()).find("forked after CUDA") == std::string::npos;
    wt_close(own);
    wt_close(library_.get());
    _exit(failed);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "this many answers were not as expected";
  EXPECT_EQ(selected(1024), operation) << "the parent goes on";
}

// Threads hold the library's locks while the process forks: calls in the child must not wait for them.
TEST_F(RuntimeSelect, AForkedChildWaitsForNoLock) {
  const wt_operation* operation = selected(1024);
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!is_over) find_kernel(library_);
  });
  threads.emplace_back([&] {
    const char* text = nullptr;
    const std::int64_t n = 2048;
    while (!is_over) wt_kernel_explain(kernel_, &n, 1, 0, "Fake H200", nullptr, &text);
  });
  int status = 0;
  for (int i = 0; i < 150 && status == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20); // ends a hanging child
      const std::int64_t n = 1024;
      const char* text = nullptr;
      const wt_operation* again = nullptr;
      int failed = 0;
      failed += wt_kernel_count(library_.get()) != 1;
      failed += std::string(wt_kernel_name(library_.get(), 0)) != "blend";
      failed += wt_kernel_dim_count(kernel_) != 1 || wt_kernel_arg_count(kernel_) != 3;
      failed += std::string(wt_operation_config(operation)) != "WIDTH=4,SPLIT=1";
      failed += wt_select(kernel_, &n, 1, 0, nullptr, &again) != WT_NO_DEVICE;
      failed += wt_prefetch(kernel_, &n, 1, 0) != WT_NO_DEVICE;
      failed += wt_prepare(library_.get(), "blend", "n=1024", nullptr, nullptr, &again) != WT_NO_DEVICE;
      failed += wt_kernel_explain(kernel_, &n, 1, 0, "Fake H200", nullptr, &text) != WT_NO_DEVICE;
      failed += wt_explain(library_.get(), "blend", "n=1", nullptr, nullptr, "sm_90", nullptr, &text) != WT_NO_DEVICE;
      failed += wt_write_misses(library_.get(), "misses.json") != WT_NO_DEVICE;
      failed += wt_reload(library_.get(), nullptr) != WT_NO_DEVICE;
      wt_close(library_.get());
      _exit(failed);
    }
    ASSERT_EQ(waitpid(child, &status, 0), child);
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(WIFSIGNALED(status)) << "it hung";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "this many answers were not as expected";
}

} // namespace
} // namespace warptune::test
