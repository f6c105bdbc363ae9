// Selects, from tuning results, the configuration to launch for a problem on a device. Pure, and able to explain its
// choice; `explain`, `run` and the runtime library all use it. If a choice was not tuned for exactly this problem and
// device, it is checked against the constraints for this problem and device.
#pragma once

#include "core/device.h"
#include "predict/selection.h"
#include "spec/problem.h"

#include <optional>
#include <vector>

namespace warptune {

// Returns the result that was tuned for exactly this problem on this device, if it may be launched. Reads only the
// entries of this problem, and does not use the learned rule.
std::optional<Selection> select_exact(const KernelSpec& spec, const std::vector<TunedEntry>& entries,
                                      const Problem& problem, const DeviceInfo& device,
                                      const SelectOptions& options = {});

// Applies the rules in the order that Match gives (predict/selection.h). If the exact entry is not certified and was
// slower than the default, the default is chosen. A disqualified entry is never chosen, and no other rule chooses its
// configuration for the same problem. If no entry can be used, `select` tries the shortest expected time if that is
// allowed, then the default, then the defaults of other implementations, then SelectOptions::others. If `others` is
// null, `select` searches a limited number of configurations for a valid one. Error: no_candidate if none of these may
// be launched.
Result<Selection> select(const KernelSpec& spec, const std::vector<TunedEntry>& entries, const Problem& problem,
                         const DeviceInfo& device, const SelectOptions& options = {});

} // namespace warptune
