// The problems for which a lint tests whether a constraint or value has an effect: the kernel's suites, and shapes that
// suites often lack.
#pragma once

#include "spec/problem.h"

#include <cstddef>
#include <vector>

namespace warptune {

// Returns at most `most` distinct problems, with all dtypes and combinations of flags (a part of them if there are more
// than 256). Their shapes are those of the suites, and the smallest, largest, odd and round sizes, for all dims at once
// and for one dim at a time. Consecutive problems differ strongly, so every prefix is diverse. Problems that the spec
// does not accept are left out.
std::vector<Problem> lint_problems(const KernelSpec& spec, std::size_t most);

} // namespace warptune
