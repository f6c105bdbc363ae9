// Tells a library whether its process was forked, because neither CUDA nor the threads and files of a library survive a
// fork. The check is one load from a cache line that only a fork writes. Knows nothing of kernels.
#pragma once

#include "core/result.h"
#include "gpu/driver.h"

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace warptune {

// Forks between the first process that loaded this library and this process; alone on its cache line.
struct alignas(64) ForkCount {
  std::atomic<std::uint32_t> value{0};
};
extern ForkCount fork_count;

inline std::uint32_t current_forks() noexcept { return fork_count.value.load(std::memory_order_relaxed); }

// An absolute path, because the current folder may change before the path is used. If the current folder is unknown,
// the path stays as given.
std::filesystem::path absolute_path(const std::filesystem::path& given);

// Kind no_device if the process was forked after `forks` was read.
Result<void> check_not_forked(std::uint32_t forks);

// load_driver, but refused in a child of the process that loaded the library.
Result<const Driver*> find_driver();

} // namespace warptune
