// A process that ends while its threads select and launch on a real device: the exit code is the process's own. Every
// round starts a new process.
#include "gpu/runtime_fixture.h"

#include <array>
#include <atomic>
#include <thread>

namespace warptune::test {
namespace {

[[noreturn]] void use_for_ever(wt_library* library, const Context& context, unsigned thread, CUdeviceptr memory,
                               std::atomic<int>& calls) {
  must(context.make_current());
  const wt_kernel* kernel = nullptr;
  if (wt_find_kernel(library, "axpy", nullptr, nullptr, &kernel) != WT_OK) std::abort();
  for (unsigned i = 0;; ++i) {
    const std::int64_t n = 4 * (1 + (i * 7 + thread) % 1000);
    const float alpha = 0;
    const std::array<const void*, 3> args = {&memory, &memory, &alpha};
    wt_run(kernel, &n, 1, args.data(), 3, nullptr, 0, nullptr);
    ++calls;
  }
}

TEST(RuntimeExitGpu, WhileThreadsLaunch) {
  WT_REQUIRE_GPU();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int round = 0; round < 6; ++round)
    EXPECT_EXIT(
        {
          static const TempDir dir; // its destructor removes the file as well
          setenv("XDG_CACHE_HOME", dir.path().c_str(), 1);
          static Context& context = *new Context(must(Context::open(0)));
          add_real_rows(dir / "t.db", must(query_cuda_device(0)), "axpy", {"n=4096"}, "", true);
          static const DeviceMemory& memory =
              *new DeviceMemory(must(DeviceMemory::allocate(context.driver(), 4096 * 4, "a test")));
          wt_library* const library = open_library(dir / "t.db").release(); // never closed
          static std::atomic<int> calls{0};
          for (unsigned t = 0; t < 4; ++t)
            std::thread([=] { use_for_ever(library, context, t, memory.get(), calls); }).detach();
          while (calls < 10 + 300 * round) std::this_thread::yield();
          std::exit(7);
        },
        testing::ExitedWithCode(7), "")
        << round;
}

} // namespace
} // namespace warptune::test
