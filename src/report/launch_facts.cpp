#include "report/launch_facts.h"

#include "plan/launch_needs.h"
#include "plan/occupancy.h"

namespace warptune::report {

std::vector<LaunchFacts> launch_facts(const LaunchPlan& plan, const KernelResources& resources,
                                      const DeviceLimits& limits) {
  std::vector<LaunchFacts> all;
  const bool is_known = plan.name_expressions.size() == 1 && resources.registers > 0;
  for (const KernelLaunch& launch : plan.launches) {
    LaunchFacts& facts = all.emplace_back();
    facts.kernel = launch.name_expression;
    facts.grid = launch.grid;
    facts.block = launch.block;
    facts.cluster = launch.cluster;
    facts.shared_bytes = launch.shared_bytes;
    if (!is_known) continue;
    const BlockNeeds needs = needs_of(plan, launch, {resources});
    const OccupancyEstimate estimate = estimate_occupancy(needs, limits);
    facts.shared_bytes += needs.static_shared_bytes;
    facts.registers = needs.registers;
    facts.blocks_per_sm = estimate.blocks_per_sm;
    facts.occupancy = estimate.share;
    const double blocks = double{1} * launch.grid.x * launch.grid.y * launch.grid.z;
    if (const std::int64_t resident = estimate.blocks_per_sm * limits.sm_count; resident > 0)
      facts.waves = blocks / static_cast<double>(resident);
  }
  return all;
}

} // namespace warptune::report
