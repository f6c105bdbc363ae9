// Encodes a TensorMapPlan and a base address as the 128-byte descriptor that bulk async copies (TMA) read. Needs a
// driver, but no context.
#pragma once

#include "gpu/driver.h"
#include "plan/plan.h"

namespace warptune {

CUresult encode_tensor_map(const Driver& driver, const TensorMapPlan& plan, CUdeviceptr base,
                           CUtensorMap* map) noexcept;

} // namespace warptune
