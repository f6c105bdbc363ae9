// TensorMapPlan + base address -> the 128-byte descriptor that the tensor memory accelerator reads. Needs a driver, no
// context.
#pragma once

#include "gpu/driver.h"
#include "plan/plan.h"

namespace warptune {

CUresult encode_tensor_map(const Driver& driver, const TensorMapPlan& plan, CUdeviceptr base,
                           CUtensorMap* map) noexcept;

} // namespace warptune
