// Whoever holds the lock of an entry holds it alone, also when its file was removed between opening and locking it.
#include "jit/entry_lock.h"
#include "support/temp_dir.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace warptune {
namespace {

TEST(EntryLock, IsHeldByOne) {
  constexpr int kTakes = 20000;
  const test::TempDir dir;
  std::atomic<int> left{kTakes}, holders{0}, together{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (left-- > 0 && together == 0) {
        const auto lock = EntryLock::take(dir / "entry.lock", 0);
        if (++holders > 1) ++together;
        --holders;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(together, 0);
}

} // namespace
} // namespace warptune
