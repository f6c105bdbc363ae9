// The problems on which a lint looks for an effect: the suites of the kernel, and shapes that suites tend to lack.
#pragma once

#include "spec/problem.h"

#include <cstddef>
#include <vector>

namespace warptune {

// Returns at most `most` problems, each once, of all dtypes and combinations of flags: the suites' shapes, and the
// smallest, largest, odd and round sizes, of all dims together and of one dim at a time. Problems that follow each
// other differ much, so a prefix is diverse. Problems that the spec refuses are left out.
std::vector<Problem> lint_problems(const KernelSpec& spec, std::size_t most);

} // namespace warptune
