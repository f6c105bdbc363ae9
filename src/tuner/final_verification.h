// The finalists verified once more, after their last round: a kernel may be right for its first launches and wrong
// later, and only the first launch of a round is looked at.
#pragma once

#include "tuner/finalist.h"
#include "worker/device_worker.h"

#include <atomic>
#include <functional>

namespace warptune {

// Five launches of each (one, of those that take longer than 10 ms), on data that no round had, in the process that ran
// the last rounds: what is wrong with one is `unstable` and out, with the evidence. `after`: so many are done. Returns
// false where `stop` ended it. Error: the device cannot be used any more.
Result<bool> verify_finalists(DeviceWorker& device, std::vector<Finalist>& finalists,
                              const std::function<void(int)>& after, const std::atomic<bool>& stop);

} // namespace warptune
