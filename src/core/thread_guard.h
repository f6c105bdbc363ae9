// Runs the work of a thread and catches its exceptions, because an exception that leaves a thread ends the process.
#pragma once

#include "core/result.h"

#include <new>
#include <optional>
#include <system_error>

namespace warptune {

inline constexpr const char* kOutOfMemory = "out of memory; close other programs or use fewer --compile-workers";
inline constexpr const char* kNoThread =
    "a thread cannot be started; allow more memory (`ulimit -v`) or processes (`ulimit -u`)";

inline Error error_of(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) return {ErrorKind::internal, kOutOfMemory};
  const auto* system = dynamic_cast<const std::system_error*>(&exception);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again)
    return {ErrorKind::internal, kNoThread};
  return {ErrorKind::internal, exception.what()};
}

// Runs `work`. If it throws, returns the exception as an error; otherwise nullopt.
template <class Work> std::optional<Error> run_guarded(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (const std::exception& exception) {
    try {
      return error_of(exception);
    } catch (const std::bad_alloc&) {
      return Error{ErrorKind::internal, "out of memory"}; // short enough to need no allocation
    }
  }
}

} // namespace warptune
