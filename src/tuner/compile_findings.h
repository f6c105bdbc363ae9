// Findings about compiled configurations: spills, compiler warnings, exceeded launch bounds and unfilled constants.
// Pure; check_compiles provides the figures.
#pragma once

#include "core/finding.h"
#include "tuner/compile_check.h"

#include <vector>

namespace warptune {

// Warnings: each default configuration that spills; the first block that exceeds its kernel's __launch_bounds__; each
// __constant__ variable that is zero in the source and that no symbol fills. One note names the worst of the other
// configurations that spill. Each distinct compiler warning is one finding. It is a warning if a default configuration
// has it, or if it says that the source redefines a macro of the spec. Otherwise it is a note.
std::vector<Finding> compile_findings(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                                      const CompileCheck& check);

} // namespace warptune
