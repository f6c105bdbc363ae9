// compile() with the cubin cache; all callers except tests use it. Does not depend on a device.
#pragma once

#include "gpu/device_program.h"
#include "jit/cubin_cache.h"

namespace warptune {

// If a command builds the request but is not allowed to run, the cubin that it built last is accepted. If it is allowed
// to run, its compiler is known, and only that compiler's cubin is returned.
std::optional<CompileResult> find_cached(const CubinCache& cache, const CompileRequest& request);
void store_cached(const CubinCache& cache, const CompileRequest& request, const CompileResult& result);

// Makes the failure of a built program that is neither stored nor allowed to be built.
CompileFailure not_allowed(const CompileRequest& request);

// Returns the cubin from the cache if possible, otherwise compiles and stores it; never builds (jit/build.h). A cache
// that cannot be written is not an error: the compile is repeated next time.
Result<CompileResult> compile_cached(const CubinCache& cache, const CompileRequest& request, double timeout_s);

// Compiles warptune's own device code for `arch`; a failure is an error with the log.
CubinProvider make_cubin_provider(CubinCache cache, std::string arch);

// Returns the architecture to request from NVRTC for a device: its own, or the nearest lower one of the same generation
// that this NVRTC supports ("sm_103a" -> "sm_100" if 103 is unknown; never "sm_90a" -> "sm_90", because wgmma would be
// lost). Error: the toolkit is too old for the device.
Result<std::string> supported_arch(const std::string& arch);

} // namespace warptune
