// Replaces random floating-point inputs by values at which kernels tend to differ from their reference.
#pragma once

#include "core/examination.h"
#include "gpu/device_tools.h"
#include "plan/plan.h"

#include <cstdint>

namespace warptune {

// Whether the examination changes inputs at all.
bool has_special_values(Examination what);
// Whether an examination can change this buffer, which must hold random fp64, fp32, fp16 or bf16 numbers.
bool takes_special_values(const BufferPlan& buffer);

// Enqueues the change of a filled buffer. Precondition: both functions above return true.
Result<void> put_special_values(DeviceTools& tools, const BufferPlan& buffer, CUdeviceptr data, Examination what,
                                std::uint64_t seed, CUstream stream);

} // namespace warptune
