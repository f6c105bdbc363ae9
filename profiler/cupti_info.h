// Facts about counters that need no open device: CUPTI's version, and whether the driver permits counting. For `doctor`
// and error messages. This header uses no types of CUPTI.
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
  bool granted = false; // whether this process's user may read counters
  bool admin_only = false;
};
// Finds the permission from /proc/driver/nvidia/params (RmProfilingAdminOnly) and the effective user.
CounterPermission find_counter_permission();

// Tells how an administrator can let all users read counters.
inline constexpr const char* kPermissionAdvice =
    "run as root, or have an administrator load the driver with NVreg_RestrictProfilingToAdminUsers=0 "
    "(write `options nvidia NVreg_RestrictProfilingToAdminUsers=0` to a file in /etc/modprobe.d, and reload the "
    "driver); "
    "times and tuning need no counters";

} // namespace warptune
