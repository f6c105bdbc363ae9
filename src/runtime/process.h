// Detects whether this process was forked after it loaded the library, because CUDA and the library's threads and files
// do not work in a forked child. A check is one load from a cache line that only a fork writes. Independent of kernels.
#pragma once

#include "core/result.h"
#include "gpu/driver.h"

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace warptune {

// How many forks are between the first process that loaded this library and this process. The count has its own cache
// line.
struct alignas(64) ForkCount {
  std::atomic<std::uint32_t> value{0};
};
extern ForkCount fork_count;

inline std::uint32_t current_forks() noexcept { return fork_count.value.load(std::memory_order_relaxed); }

// Makes the path absolute, because the current folder may change before the path is used. If the current folder is not
// known, returns the path unchanged.
std::filesystem::path absolute_path(const std::filesystem::path& given);

// Error (no_device): the process was forked after `forks` was read.
Result<void> check_not_forked(std::uint32_t forks);

// Calls load_driver, but fails in a forked child of the process that loaded the library.
Result<const Driver*> find_driver();

} // namespace warptune
