// Findings about what compiled: spills and warnings of the compiler. Pure; the figures come from check_compiles.
#pragma once

#include "core/finding.h"
#include "tuner/compile_check.h"

#include <vector>

namespace warptune {

// A default configuration that spills is a warning; of the others one note names the worst. Each different warning of
// the compiler is one finding, a note if no default configuration has it.
std::vector<Finding> compile_findings(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                                      const CompileCheck& check);

} // namespace warptune
