#include "plan/launch_needs.h"

#include <algorithm>

namespace warptune {

std::size_t kernel_index(const LaunchPlan& plan, const KernelLaunch& launch) {
  const auto& names = plan.name_expressions;
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), launch.name_expression) - names.begin());
}

BlockNeeds needs_of(const LaunchPlan& plan, const KernelLaunch& launch, const std::vector<KernelResources>& resources) {
  const std::size_t at = kernel_index(plan, launch);
  BlockNeeds needs;
  needs.threads = std::int64_t{launch.block.x} * launch.block.y * launch.block.z;
  needs.dynamic_shared_bytes = launch.shared_bytes;
  if (at >= resources.size()) return needs;
  needs.registers = resources[at].registers;
  needs.static_shared_bytes = resources[at].static_shared_bytes;
  return needs;
}

} // namespace warptune
