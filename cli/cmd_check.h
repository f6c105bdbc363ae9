// The work of `check`, which `new` also does.
#pragma once

#include "cli/check_options.h"
#include "core/device.h"
#include "core/result.h"

#include <string>
#include <vector>

namespace warptune::cli {

// Returns one device per architecture to check. The installed NVRTC can compile for the `arch` of each device. `archs`:
// such as "sm_80,h100"; empty: the architecture of the first GPU. Error (no_device): there is no NVRTC.
Result<std::vector<DeviceInfo>> find_check_devices(const std::string& archs);

// Prints the findings. Returns the exit code of `check` (kCheckHelp).
Result<int> run_check(const CheckArgs& given);

} // namespace warptune::cli
