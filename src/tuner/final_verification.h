// Verifies the finalists once more after their last round. A round verifies only its first launch, but a kernel may be
// correct in its first launches and wrong later.
#pragma once

#include "tuner/finalist.h"
#include "worker/device_worker.h"

#include <atomic>
#include <functional>

namespace warptune {

// Verifies five launches of each finalist (one launch if the finalist takes longer than 10 ms) on new inputs, in the
// process of the last rounds. A finalist with a wrong result gets the status `unstable` and a diagnostic. `after`
// receives the number of verified finalists. Returns false if `stop` was set. Error: the device can no longer be used.
Result<bool> verify_finalists(DeviceWorker& device, std::vector<Finalist>& finalists,
                              const std::function<void(int)>& after, const std::atomic<bool>& stop);

} // namespace warptune
