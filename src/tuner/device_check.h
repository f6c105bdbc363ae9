// Examines configurations on a device: with usual and special inputs, in two equal launches, with shifted buffers, and
// with dirty shared memory. Everything runs in a device process that is replaced after a fault, so that a crash or a
// hang becomes a finding about one configuration. Measures no times and stores nothing.
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
  std::vector<std::string> notes; // why examinations were left out; each reason once
};

// All configurations must compile for the device. A configuration without a cubin in the cache is compiled again. If a
// configuration is wrong on usual inputs, it is not examined further. Error: the device cannot be prepared.
Result<DeviceCheck> check_on_device(const Kernel& kernel, const Problem& problem, const std::vector<Config>& configs,
                                    const DeviceCheckOptions& options, const std::function<void(const Progress&)>& show,
                                    const std::atomic<bool>& stop);

} // namespace warptune
