// The content of an input whose fill is a list dim of the problem, or the offsets of one. The list belongs to the
// problem: no seed changes it.
#pragma once

#include "plan/plan.h"
#include "spec/problem.h"

#include <cstdint>
#include <vector>

namespace warptune {

// As many elements as the buffer has. Error (bad_input): its count or its dtype is not that of the list.
Result<std::vector<std::int64_t>> list_fill_values(const KernelSpec& spec, const Problem& problem,
                                                   const BufferPlan& buffer);

} // namespace warptune
