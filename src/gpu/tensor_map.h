// TensorMapPlan + base address -> the 128-byte descriptor that the tensor memory accelerator reads. Needs a driver, no
// context.
#pragma once

#include "core/plan.h"
#include "gpu/driver.h"

namespace warptune {

CUresult encode_tensor_map(const Driver& driver, const TensorMapPlan& plan, CUdeviceptr base,
                           CUtensorMap* map) noexcept;

} // namespace warptune
