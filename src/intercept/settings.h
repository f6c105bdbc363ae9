// The settings that `warptune capture` passes to the library inside the application, as environment variables.
#pragma once

#include <cstdint>
#include <string>

namespace warptune::intercept {

inline constexpr const char* kDirVariable = "WARPTUNE_CAPTURE_DIR";           // where records are written; unset: off
inline constexpr const char* kKernelVariable = "WARPTUNE_CAPTURE_KERNEL";     // a regular expression; unset: times only
inline constexpr const char* kContentsVariable = "WARPTUNE_CAPTURE_CONTENTS"; // bytes of each buffer to copy
inline constexpr const char* kCuptiVariable = "WARPTUNE_CAPTURE_CUPTI";       // paths to try, one per line

struct Settings {
  std::string dir, kernel, cupti;
  std::int64_t contents = 0;
  bool is_on() const { return !dir.empty(); }
  bool records_launches() const { return !kernel.empty(); }
};

// Read once; the same for the whole process.
const Settings& settings();

} // namespace warptune::intercept
