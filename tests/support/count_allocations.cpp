#include "support/count_allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
thread_local long count = 0, left = -1;
} // namespace

long warptune::test::allocation_count() { return count; }
void warptune::test::fail_allocations(long after) { left = after; }

void* operator new(std::size_t bytes) {
  ++count;
  if (left == 0) throw std::bad_alloc();
  if (left > 0) --left;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
