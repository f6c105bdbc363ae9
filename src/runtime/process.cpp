#include "runtime/process.h"

#include <pthread.h>
#include <system_error>

namespace warptune {

ForkCount fork_count;

namespace {

const int watched = pthread_atfork(nullptr, nullptr, [] { fork_count.value.fetch_add(1, std::memory_order_relaxed); });

} // namespace

std::filesystem::path absolute_path(const std::filesystem::path& given) {
  std::error_code unknown;
  std::filesystem::path path = std::filesystem::absolute(given, unknown);
  return unknown ? given : path;
}

Result<void> check_not_forked(std::uint32_t forks) {
  if (forks == current_forks()) return {};
  return fail(ErrorKind::no_device, "this process was forked after the library was opened; open it in the child, and "
                                    "initialise CUDA there, not before the fork");
}

Result<const Driver*> find_driver() {
  static const std::uint32_t loaded_at = current_forks();
  auto driver = load_driver();
  if (driver && watched == 0 && loaded_at != current_forks())
    return fail(ErrorKind::no_device,
                "this process was forked after CUDA was initialised, so CUDA cannot be used in it; "
                "start another process, or fork before CUDA is first used");
  return driver;
}

} // namespace warptune
