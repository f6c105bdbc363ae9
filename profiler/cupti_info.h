// Information on counters that needs no open device: the library, and the driver's permission. For `doctor` and for
// error messages; names no type of CUPTI.
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
  bool granted = false; // to the user of this process
  bool admin_only = false;
};
// From /proc/driver/nvidia/params (RmProfilingAdminOnly) and the effective user.
CounterPermission find_counter_permission();

// How an administrator grants counters to all users.
inline constexpr const char* kPermissionAdvice =
    "run as root, or have an administrator load the driver with NVreg_RestrictProfilingToAdminUsers=0 "
    "(options nvidia NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, then reload); times and tuning need no "
    "counters";

} // namespace warptune
