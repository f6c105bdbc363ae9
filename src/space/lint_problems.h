// The problems on which a lint tests whether a constraint or a value has an effect. The problems include the shapes of
// the kernel's suites, and shapes that suites often lack.
#pragma once

#include "spec/problem.h"

#include <cstddef>
#include <vector>

namespace warptune {

// Returns at most `most` distinct problems that the spec accepts, with every dtype and every combination of flags (if
// there are more than 256 combinations, a selection of them). The shapes are those of the suites, then the smallest,
// the largest, and odd and round sizes, for all dims at once and for one dim at a time. Consecutive problems differ
// strongly, so a caller may stop after any number of them.
std::vector<Problem> lint_problems(const KernelSpec& spec, std::size_t most);

} // namespace warptune
