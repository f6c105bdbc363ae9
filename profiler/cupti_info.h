// Facts about counters that need no open device: the library, and the driver's permission. Used by `doctor` and in
// error messages; this header uses no CUPTI types.
#pragma once

#include "core/result.h"

#include <string>

namespace warptune {

struct CuptiInfo {
  std::string version, path; // "13.0"
};
Result<CuptiInfo> find_cupti();

struct CounterPermission {
  bool known = false;   // false: no NVIDIA driver is loaded
  bool granted = false; // whether the user of this process may read counters
  bool admin_only = false;
};
// Reads the permission from /proc/driver/nvidia/params (RmProfilingAdminOnly) and the effective user.
CounterPermission find_counter_permission();

// A sentence: how an administrator can give all users access to counters.
inline constexpr const char* kPermissionAdvice =
    "run as root, or have an administrator load the driver with NVreg_RestrictProfilingToAdminUsers=0 "
    "(options nvidia NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, then reload); times and tuning need no "
    "counters";

} // namespace warptune
