#include "core/memory_reserve.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace warptune {
namespace {

constexpr std::size_t kReserveBytes = std::size_t{4} << 20; // a mapping of its own, so that any allocation can reuse it
std::atomic<void*> reserve{nullptr};

void give_back() {
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

} // namespace

bool keep_memory_reserve() {
  reserve = std::malloc(kReserveBytes);
  std::set_new_handler(give_back);
  return reserve != nullptr;
}

} // namespace warptune
