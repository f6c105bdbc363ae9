// Finds constraints that never remove a configuration, and values of params that no configuration has, over many
// problems and all known architectures. Compiles nothing.
#pragma once

#include "core/device.h"
#include "core/finding.h"
#include "spec/problem.h"
#include "spec/source_files.h"

#include <atomic>
#include <vector>

namespace warptune {

// Checks `asked` first, then lint_problems: each problem on `devices`, and on one other architecture that has a valid
// configuration. Ends once every constraint and value has had an effect, after 4000 problems or 400 spaces per
// implementation, or when `stop` is set. Constraints that read device limits are not reported, because future devices
// may need them.
std::vector<Finding> lint_space(const KernelSpec& spec, const SourceFiles& sources, const std::vector<Problem>& asked,
                                const std::vector<DeviceInfo>& devices, const std::atomic<bool>& stop);

} // namespace warptune
