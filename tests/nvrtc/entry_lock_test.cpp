// The lock of an entry has one holder, also if its file was removed between opening and locking it.
#include "jit/entry_lock.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace {
std::filesystem::path& removed_before_locking() {
  static std::filesystem::path path;
  return path;
}
} // namespace

// Replaces the C library's flock: the previous holder removes its file at the worst moment.
extern "C" int flock(int descriptor, int operation) noexcept {
  std::error_code ignored;
  std::filesystem::remove(std::exchange(removed_before_locking(), {}), ignored);
  return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
}

namespace warptune {
namespace {

constexpr double kAtOnce = 1e-9; // seconds

TEST(EntryLock, IsHeldByOne) {
  const test::TempDir dir;
  const auto path = dir / "entry.lock";
  {
    const auto one = EntryLock::take(path, kAtOnce);
    ASSERT_TRUE(one);
    EXPECT_FALSE(EntryLock::take(path, kAtOnce));
  }
  EXPECT_FALSE(std::filesystem::exists(path)) << "nothing is left behind";
  EXPECT_TRUE(EntryLock::take(path, kAtOnce));
}

TEST(EntryLock, OfAFileThatWasRemovedIsTakenAnew) {
  const test::TempDir dir;
  const auto path = dir / "entry.lock";
  removed_before_locking() = path;
  const auto one = EntryLock::take(path, kAtOnce);
  ASSERT_TRUE(one);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_FALSE(EntryLock::take(path, kAtOnce)) << "two would hold it";
}

} // namespace
} // namespace warptune
