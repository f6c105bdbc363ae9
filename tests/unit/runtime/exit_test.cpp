// A process that ends while its threads select and launch, over a stand-in for the driver: the exit code is the
// process's own. Every round starts a new process.
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/fixture.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>

namespace warptune::test {
namespace {

// The work of a thread until the process has ended. Nearly every size is new, so most calls are cold.
[[noreturn]] void use_for_ever(wt_library* library, unsigned thread, std::atomic<int>& calls) {
  fake_set_context(reinterpret_cast<void*>(0x5000 + 0x100 * (thread % 2)));
  fake_set_arg_count(4);
  const wt_kernel* kernel = nullptr;
  if (wt_find_kernel(library, "blend", nullptr, nullptr, &kernel) != WT_OK) std::abort();
  for (unsigned i = 0;; ++i) {
    const std::int64_t n = 16 * (1 + (i * 7 + thread) % 50000);
    const std::uint64_t x = 0x10000, y = 0x20000;
    const float alpha = 2.5F;
    const std::array<const void*, 3> args = {&x, &alpha, &y};
    wt_run(kernel, &n, 1, args.data(), 3, reinterpret_cast<void*>(0x400000), 1 << 20, nullptr);
    if (i % 50 == 0) wt_reload(library, nullptr);
    ++calls;
  }
}

TEST(RuntimeExit, WhileThreadsLaunch) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int round = 0; round < 12; ++round)
    EXPECT_EXIT(
        {
          static const TempDir dir; // its destructor removes the file as well
          setenv("XDG_CACHE_HOME", dir.path().c_str(), 1);
          add_tuned(dir / "t.db", {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1", "Fake H200", "fake image"}});
          wt_library* const library = open_library(dir / "t.db").release(); // never closed
          static std::atomic<int> calls{0};
          for (unsigned t = 0; t < 4; ++t) std::thread([=] { use_for_ever(library, t, calls); }).detach();
          while (calls < 10 + 40 * round) std::this_thread::yield();
          std::exit(7);
        },
        testing::ExitedWithCode(7), "")
        << round;
}

} // namespace
} // namespace warptune::test
