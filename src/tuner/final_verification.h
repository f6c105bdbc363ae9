// Verifies the finalists again after their last round. A kernel may be correct for its first launches and wrong later,
// and only the first launch of a round is verified.
#pragma once

#include "tuner/finalist.h"
#include "worker/device_worker.h"

#include <atomic>
#include <functional>

namespace warptune {

// Verifies five launches of each finalist (one if it takes longer than 10 ms) on new data, in the process of the last
// rounds. A finalist with a wrong result becomes `unstable`, with its diagnostic. `after` receives the number of
// finalists done. Returns false if `stop` was set. Error: the device has become unusable.
Result<bool> verify_finalists(DeviceWorker& device, std::vector<Finalist>& finalists,
                              const std::function<void(int)>& after, const std::atomic<bool>& stop);

} // namespace warptune
