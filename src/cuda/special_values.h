// Replaces random floating-point inputs by values at which kernels tend to differ from their reference.
#pragma once

#include "core/examination.h"
#include "gpu/device_tools.h"
#include "plan/plan.h"

#include <cstdint>

namespace warptune {

// Whether this examination changes the values of inputs.
bool has_special_values(Examination what);
// Whether examinations may change this buffer: it must have a random fill and the dtype fp64, fp32, fp16 or bf16.
bool takes_special_values(const BufferPlan& buffer);

// Enqueues the change of a buffer that is already filled. Precondition: both functions above return true.
Result<void> put_special_values(DeviceTools& tools, const BufferPlan& buffer, CUdeviceptr data, Examination what,
                                std::uint64_t seed, CUstream stream);

} // namespace warptune
