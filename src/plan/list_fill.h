// Computes the content of an input whose fill is a list dim of the problem, or the offsets of such a list. The list
// belongs to the problem, so the content does not depend on a seed.
#pragma once

#include "plan/plan.h"
#include "spec/problem.h"

#include <cstdint>
#include <vector>

namespace warptune {

// Returns one value per element of the buffer. Error (bad_input): the buffer's count or dtype does not suit the list.
Result<std::vector<std::int64_t>> list_fill_values(const KernelSpec& spec, const Problem& problem,
                                                   const BufferPlan& buffer);

} // namespace warptune
