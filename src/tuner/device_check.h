// Examines configurations on a device: on usual and special inputs, in two launches, with shifted buffers and with
// dirty shared memory. Each examination runs in a device process that is replaced after a fault, so a crash or a hang
// is a finding about one configuration. Times nothing and stores nothing.
#pragma once

#include "core/finding.h"
#include "tuner/progress.h"
#include "worker/device_worker.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace warptune {

struct DeviceCheckOptions {
  WorkerCommand worker;
  double compile_timeout_s = 60, evaluate_timeout_s = 60;
  std::uint64_t seed = 0;
  Builders builders = {};
};

struct DeviceCheck {
  std::vector<Finding> findings;
  std::vector<std::string> notes; // why an examination was omitted, each once
};

// Every configuration must compile for the device; it is compiled again if its cubin is not in the cache. A
// configuration that is wrong on usual inputs is examined no further. Error: the device cannot be prepared.
Result<DeviceCheck> check_on_device(const Kernel& kernel, const Problem& problem, const std::vector<Config>& configs,
                                    const DeviceCheckOptions& options, const std::function<void(const Progress&)>& show,
                                    const std::atomic<bool>& stop);

} // namespace warptune
