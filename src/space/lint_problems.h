// The problems on which a lint looks for an effect: the suites of the kernel, and shapes that suites tend to lack.
#pragma once

#include "spec/problem.h"

#include <cstddef>
#include <vector>

namespace warptune {

// Returns at most `most` distinct problems, with all dtypes and combinations of flags. Their shapes are those of the
// suites, and the smallest, largest, odd and round sizes, for all dims at once and for one dim at a time. Neighbouring
// problems differ much, so a prefix is diverse. Problems that the spec refuses are left out.
std::vector<Problem> lint_problems(const KernelSpec& spec, std::size_t most);

} // namespace warptune
