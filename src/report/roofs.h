// The roofs of a device for a report: measured and theoretical, and which of them a kernel can reach. Pure.
#pragma once

#include "core/device.h"
#include "plan/plan.h"
#include "report/view.h"

#include <optional>
#include <vector>

namespace warptune::report {

// `levels`: the memory levels with known bytes. With a cost, the first is "dram_mix": DRAM at its mix of reads and
// writes.
std::vector<Roof> make_roofs(const Roofs& measured, const Roofs& theoretical, const std::optional<CostEstimate>& cost,
                             const std::vector<Level>& levels);

} // namespace warptune::report
