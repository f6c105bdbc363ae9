#include "support/count_allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
thread_local long count = 0, left = -1;
} // namespace

long warptune::test::allocation_count() { return count; }
void warptune::test::fail_allocations(long after) { left = after; }

// Replaced as well, because a sanitizer's version does not call the one below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++count;
  if (left == 0) return nullptr;
  if (left > 0) --left;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(std::size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
