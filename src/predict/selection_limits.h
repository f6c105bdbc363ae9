// Decides which configurations must not be launched for a problem on a device: those that violate a constraint, and
// those that a check found wrong or failing for this problem, whichever rule proposes them.
#pragma once

#include "core/device.h"
#include "predict/selection.h"
#include "spec/problem.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune {

// Refers to the arguments of `select`.
struct SelectionLimits {
  const KernelSpec& spec;
  const std::vector<TunedEntry>& entries;
  const Problem& problem;
  const DeviceInfo& device;
  const SelectOptions& options;

  // Returns why the configuration must not be launched; nullopt: it may.
  std::optional<std::string> refuse(const Config& config) const;
};

// Why nothing can be launched: the reason against an implementation that supports this problem, such as the alignment
// of buffers. The reason against an implementation that calls libraries is used only if no other reason exists. Without
// any such reason: `reason`, which concerns the kernel's default.
std::string obstacle(const SelectionLimits& limits, const std::string& reason);

} // namespace warptune
