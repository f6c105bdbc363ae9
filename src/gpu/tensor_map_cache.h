// Caches the encoded tensor maps of recent launches, separately for each thread.
#pragma once

#include "gpu/driver.h"
#include "plan/plan.h"

#include <cstddef>
#include <cstdint>

namespace warptune {

// Returns tensor map `index` of a launch sequence, encoded for a buffer at `base`. `sequence`: the sequence's id in
// this process. Each thread caches its most recent maps. Neither locks nor allocates.
CUresult find_tensor_map(const Driver& driver, std::uint64_t sequence, std::size_t index, const TensorMapPlan& plan,
                         CUdeviceptr base, CUtensorMap* map) noexcept;

} // namespace warptune
