// Detects whether the library's process was forked: CUDA and the library's threads and files do not work after a fork.
// The check is one load from a cache line that only a fork writes. Does not depend on kernels.
#pragma once

#include "core/result.h"
#include "gpu/driver.h"

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace warptune {

// The number of forks between the first process that loaded this library and this process; it has a cache line of its
// own.
struct alignas(64) ForkCount {
  std::atomic<std::uint32_t> value{0};
};
extern ForkCount fork_count;

inline std::uint32_t current_forks() noexcept { return fork_count.value.load(std::memory_order_relaxed); }

// Makes the path absolute, because the current folder may change before it is used. If the current folder is unknown,
// returns the path unchanged.
std::filesystem::path absolute_path(const std::filesystem::path& given);

// Error: no_device if the process was forked after `forks` was read.
Result<void> check_not_forked(std::uint32_t forks);

// Like load_driver, but fails in a child of the process that loaded the library.
Result<const Driver*> find_driver();

} // namespace warptune
