// Findings about compiled configurations: spills, compiler warnings, exceeded launch bounds and unfilled constants.
// Pure; check_compiles provides the figures.
#pragma once

#include "core/finding.h"
#include "tuner/compile_check.h"

#include <vector>

namespace warptune {

// Warnings: each default configuration that spills; the first block that exceeds its kernel's __launch_bounds__; each
// __constant__ variable that is zero in the source and that no symbol fills. One note names the worst of the other
// configurations that spill. Each distinct compiler warning is one finding. The finding is a warning if the compiler
// warns about a default configuration, or about a redefined macro of the spec. Otherwise the finding is a note.
std::vector<Finding> compile_findings(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                                      const CompileCheck& check);

} // namespace warptune
