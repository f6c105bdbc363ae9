// The settings that `warptune capture` gives to the library inside the application, in environment variables.
#pragma once

#include <cstdint>
#include <string>

namespace warptune::intercept {

inline constexpr const char* kDirVariable = "WARPTUNE_CAPTURE_DIR"; // folder for the records; unset: off
inline constexpr const char* kKernelVariable =
    "WARPTUNE_CAPTURE_KERNEL"; // a regular expression of kernels; unset: only times are recorded
inline constexpr const char* kContentsVariable = "WARPTUNE_CAPTURE_CONTENTS"; // bytes to copy per buffer
inline constexpr const char* kCuptiVariable = "WARPTUNE_CAPTURE_CUPTI";       // paths of CUPTI to try, one per line

struct Settings {
  std::string dir, kernel, cupti;
  std::int64_t contents = 0;
  bool is_on() const { return !dir.empty(); }
  bool records_launches() const { return !kernel.empty(); }
};

// Reads the settings at the first call; later calls return the same settings.
const Settings& settings();

} // namespace warptune::intercept
