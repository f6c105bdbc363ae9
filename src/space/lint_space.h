// Finds constraints that never remove a configuration, and values of params that no valid configuration has. Tests many
// problems on all known architectures. Compiles nothing.
#pragma once

#include "core/device.h"
#include "core/finding.h"
#include "spec/problem.h"
#include "spec/source_files.h"

#include <atomic>
#include <vector>

namespace warptune {

// First tests the problems in `asked`, then those that lint_problems returns. Each problem is tested on `devices`, and
// on one more architecture for which it has a valid configuration. Stops when every constraint and value has had an
// effect, after 4000 problems or 400 spaces per implementation, or when `stop` is set. Constraints that read device
// limits are not reported, because a future device may need them. At most 100 constraints of an implementation are
// reported, and one more note says how many were left out.
std::vector<Finding> lint_space(const KernelSpec& spec, const SourceFiles& sources, const std::vector<Problem>& asked,
                                const std::vector<DeviceInfo>& devices, const std::atomic<bool>& stop);

} // namespace warptune
