// What a library must know of its process: whether it was forked since, because neither CUDA nor the threads and files
// of a library survive that. The check is one load of a line that nobody writes. Knows nothing of kernels.
#pragma once

#include "core/result.h"
#include "gpu/driver.h"

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace warptune {

// Forks between the first process that loaded this library and this one; nothing else lies on its line.
struct alignas(64) ForkCount {
  std::atomic<std::uint32_t> value{0};
};
extern ForkCount fork_count;

inline std::uint32_t current_forks() noexcept { return fork_count.value.load(std::memory_order_relaxed); }

// The current folder may be another when the path is used. Where it cannot be told, the path stays as it was given.
std::filesystem::path absolute_path(const std::filesystem::path& given);

// Kind no_device when the process was forked after `forks` was read.
Result<void> check_not_forked(std::uint32_t forks);

// load_driver, refused in a child of the process that loaded it.
Result<const Driver*> find_driver();

} // namespace warptune
