// Runs the command of a built implementation to make its cubin (docs/spec.md, "Built implementations"). Apart from
// `version` commands (jit/builders.h), only this code runs commands that a kernel folder specifies. It runs a command
// only if the request says that the user allowed commands. The runtime library does not contain this code.
#pragma once

#include "jit/cubin_cache.h"

namespace warptune {

// Precondition: request.build is set. If the command fails, the result is a CompileFailure. Error: the command's folder
// cannot be written.
Result<CompileResult> build(const CompileRequest& request, double timeout_s);

// Returns the cubin from the cache if possible. Otherwise builds or compiles it, and stores it.
Result<CompileResult> make_program(const CubinCache& cache, const CompileRequest& request, double timeout_s);

// Builds or compiles the cubin without reading or writing the cache.
Result<CompileResult> build_or_compile(const CompileRequest& request, double timeout_s);

} // namespace warptune
