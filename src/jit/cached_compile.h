// compile() behind the cubin cache; all callers except tests use it. Knows no device.
#pragma once

#include "gpu/device_program.h"
#include "jit/cubin_cache.h"

namespace warptune {

// If a command builds the request and may not run, the cubin that it built last is returned too. If it may run, its
// compiler is known, and only this compiler's cubin is returned.
std::optional<CompileResult> find_cached(const CubinCache& cache, const CompileRequest& request);
void store_cached(const CubinCache& cache, const CompileRequest& request, const CompileResult& result);

// The failure of a built program that is not stored and may not be built.
CompileFailure not_allowed(const CompileRequest& request);

// From the cache if possible, otherwise compiled and stored; never builds (jit/build.h). If the cache cannot be
// written, this is not an error: the compile is repeated next time.
Result<CompileResult> compile_cached(const CubinCache& cache, const CompileRequest& request, double timeout_s);

// For the project's own device code: compiles for `arch`; a failure is an error with the log.
CubinProvider make_cubin_provider(CubinCache cache, std::string arch);

// The architecture to request from NVRTC for a device: its own, or the nearest lower one of the same generation that
// this NVRTC supports ("sm_103a" -> "sm_100" if 103 is unknown; never "sm_90a" -> "sm_90", because wgmma would be
// lost). Error: the toolkit is too old for the device.
Result<std::string> supported_arch(const std::string& arch);

} // namespace warptune
