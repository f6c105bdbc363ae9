// The roofs of a device for a report, measured and theoretical, and which of them a kernel can reach. Pure.
#pragma once

#include "core/device.h"
#include "plan/plan.h"
#include "report/view.h"

#include <optional>
#include <vector>

namespace warptune::report {

// `levels`: the memory levels whose bytes are known. If there is a cost, the first roof is "dram_mix": DRAM with that
// cost's mix of reads and writes.
std::vector<Roof> make_roofs(const Roofs& measured, const Roofs& theoretical, const std::optional<CostEstimate>& cost,
                             const std::vector<Level>& levels);

} // namespace warptune::report
