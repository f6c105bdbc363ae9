// Compiles through the cubin cache, as all code except tests does. Does not depend on a device.
#pragma once

#include "gpu/device_program.h"
#include "jit/cubin_cache.h"

namespace warptune {

// Finds a result in the cache. For an implementation that a command builds: if the command is allowed to run, returns
// only a cubin of its present compiler. Otherwise returns the cubin that the command built last.
std::optional<CompileResult> find_cached(const CubinCache& cache, const CompileRequest& request);
void store_cached(const CubinCache& cache, const CompileRequest& request, const CompileResult& result);

// Returns the failure for a program that is not in the cache, if only a build command can make it, and build commands
// are not allowed.
CompileFailure not_allowed(const CompileRequest& request);

// Returns the cubin from the cache if possible. Otherwise compiles and stores it, but never runs a build command
// (jit/build.h). If the cache cannot be written, that is not an error: the next call compiles again.
Result<CompileResult> compile_cached(const CubinCache& cache, const CompileRequest& request, double timeout_s);

// Returns a provider that compiles warptune's own device code for `arch`. If compiling fails, the error has the
// compiler's log.
CubinProvider make_cubin_provider(CubinCache cache, std::string arch);

// Returns the architecture for which NVRTC should compile: the device's own architecture, if this NVRTC supports it.
// Otherwise returns the nearest lower architecture of the same generation ("sm_103a" -> "sm_100"). "sm_90a" never
// becomes "sm_90", because kernels would lose wgmma. Error: the toolkit is too old for the device.
Result<std::string> supported_arch(const std::string& arch);

} // namespace warptune
