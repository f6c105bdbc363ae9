// Findings about compiled configurations: spills, compiler warnings, exceeded launch bounds and unfilled constants.
// Pure; the figures come from check_compiles.
#pragma once

#include "core/finding.h"
#include "tuner/compile_check.h"

#include <vector>

namespace warptune {

// Each default configuration that spills is a warning; one note names the worst of the others. Each distinct compiler
// warning is one finding: a note if no default configuration has it, unless the source redefines a macro of the spec.
// One warning names the first block that exceeds its kernel's __launch_bounds__. Each __constant__ variable that the
// source leaves zero and no symbol fills is a warning.
std::vector<Finding> compile_findings(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                                      const CompileCheck& check);

} // namespace warptune
