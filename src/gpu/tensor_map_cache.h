// Encoded tensor maps of recent launches, one cache per thread.
#pragma once

#include "gpu/driver.h"
#include "plan/plan.h"

#include <cstddef>
#include <cstdint>

namespace warptune {

// Returns the `index`-th tensor map of a launch sequence (`sequence`: its id in this process) for a buffer at `base`.
// Each thread caches its most recent ones. No lock, no allocation.
CUresult find_tensor_map(const Driver& driver, std::uint64_t sequence, std::size_t index, const TensorMapPlan& plan,
                         CUdeviceptr base, CUtensorMap* map) noexcept;

} // namespace warptune
