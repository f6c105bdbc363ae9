// Findings about compiled configurations: spills and compiler warnings. Pure; the figures come from check_compiles.
#pragma once

#include "core/finding.h"
#include "tuner/compile_check.h"

#include <vector>

namespace warptune {

// Each default configuration that spills is a warning; one note names the worst of the others. Each distinct compiler
// warning is one finding: a note if no default configuration has it.
std::vector<Finding> compile_findings(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                                      const CompileCheck& check);

} // namespace warptune
