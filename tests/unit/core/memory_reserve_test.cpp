#include "core/memory_reserve.h"
#include "support/sanitized.h"

#include <gtest/gtest.h>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

namespace warptune {
namespace {

// Returns 0 if a megabyte was available again after the first failed allocation.
int after_the_first_failure(bool has_reserve) {
  if (has_reserve && !keep_memory_reserve()) return 2;
  const rlimit limit{rlim_t{512} << 20, rlim_t{512} << 20};
  ::setrlimit(RLIMIT_AS, &limit);
  try {
    while (true) (void)*new volatile char[1 << 16]; // never freed: the process ends
  } catch (const std::bad_alloc&) {
  }
  return new (std::nothrow) char[1 << 20] != nullptr ? 0 : 1;
}

TEST(MemoryReserveDeathTest, IsThereAfterTheFirstFailureAndNotBefore) {
  if (test::kIsSanitized) GTEST_SKIP() << "a sanitizer reserves terabytes";
  EXPECT_EXIT(::_exit(after_the_first_failure(true)), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(::_exit(after_the_first_failure(false)), ::testing::ExitedWithCode(1), "");
}

} // namespace
} // namespace warptune
