// A process that cannot start threads when cubins for a pack must be compiled in the background: existing cubins run,
// missing ones give an error, and the process exits normally.
#include "jit/compiler.h"
#include "support/child.h"
#include "support/sanitized.h"
#include "unit/runtime/pack_fixture.h"
#include "warptune/warptune.hpp"

#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace warptune::test {
namespace {

using testing::HasSubstr;

void limit_threads(rlim_t most) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NPROC, &limit);
  limit.rlim_cur = std::min(most, limit.rlim_max);
  ::setrlimit(RLIMIT_NPROC, &limit);
}

// The tests run in their own process.
class NoThreads : public RuntimePack {
 protected:
  static constexpr const char* kConfig = "WIDTH=4,SPLIT=1";

  void give_up_threads() const {
    const warptune::v0::Library loaded(write(kConfig, {program("n=1024", kConfig)}));
    loaded.kernel("blend").select({1024}); // opens the driver, for which the next user has no permission
    EXPECT_TRUE(drop_root());              // root is not limited
    ::prctl(PR_SET_DUMPABLE, 1);           // the leak checker attaches to the process at its end
    limit_threads(0);
  }
  template <class Call> static void expect_refused(const Call& call) {
    try {
      call();
      ADD_FAILURE() << "there was a thread";
    } catch (const warptune::v0::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("cannot compile in the background: Resource temporarily unavailable"));
    }
  }
  // By the end of the process, other memory is where closed libraries were.
  static void reuse_memory() {
    for (std::size_t bytes = 16; bytes <= 16384; bytes += 16)
      if (void* const block = std::malloc(bytes)) blocks_[bytes / 16] = std::memset(block, 0x5a, bytes);
  }
  static inline void* blocks_[1025];
};

TEST_F(NoThreads, WhatThereIsRunsAndTheRestIsRefused) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("TMPDIR", dir_.path().c_str(), 1); // the process has no permission to remove its own folder elsewhere
  EXPECT_EXIT(
      {
        give_up_threads();
        {
          const warptune::v0::Library library(write(kConfig, {program("n=1023", "WIDTH=1,SPLIT=1")}), {1, {}});
          EXPECT_EQ(library.kernel("blend").select({1020}).config(), "WIDTH=1,SPLIT=1");
          library.kernel("blend").prefetch({1020}); // returns without waiting
        }
        {
          const warptune::v0::Library library(write(kConfig, {}), {1, {}});
          expect_refused([&] { library.kernel("blend").select({1024}); });
          expect_refused([&] { library.kernel("blend").prefetch({1024}); });
        }
        reuse_memory();
        if (kIsSanitized) limit_threads(RLIM_INFINITY); // the leak checker needs a thread at the end
        std::exit(HasFailure() ? 1 : 7);
      },
      testing::ExitedWithCode(7), "");
  unsetenv("TMPDIR");
}

TEST_F(NoThreads, TheNextCallTriesAgain) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("TMPDIR", dir_.path().c_str(), 1);
  EXPECT_EXIT(
      {
        give_up_threads();
        const warptune::v0::Library library(write(kConfig, {}), {1, {}});
        const warptune::v0::Kernel kernel = library.kernel("blend");
        expect_refused([&] { kernel.prefetch({1024}); });
        limit_threads(RLIM_INFINITY);
        kernel.prefetch({1024});
        EXPECT_EQ(kernel.select({1024}).config(), kConfig);
        std::exit(HasFailure() ? 1 : 7);
      },
      testing::ExitedWithCode(7), "");
  unsetenv("TMPDIR");
}

} // namespace
} // namespace warptune::test
