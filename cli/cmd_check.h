// The work of `check`, which `new` does as well.
#pragma once

#include "cli/check_options.h"
#include "core/device.h"
#include "core/result.h"

#include <string>
#include <vector>

namespace warptune::cli {

// Returns one device per architecture to check for; its `arch` is one for which this NVRTC can compile. `archs`:
// "sm_80,h100"; empty: the architecture of the first GPU. Error (no_device): there is no NVRTC.
Result<std::vector<DeviceInfo>> find_check_devices(const std::string& archs);

// Prints the findings. The exit code is that of check (kCheckHelp).
Result<int> run_check(const CheckArgs& given);

} // namespace warptune::cli
