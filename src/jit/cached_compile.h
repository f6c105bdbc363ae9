// compile() behind the cubin cache: what every caller but a test wants. Knows no device.
#pragma once

#include "gpu/device_program.h"
#include "jit/cubin_cache.h"

namespace warptune {

// A request that a command builds is also answered by what it built last, unless the command may run: then its compiler
// is known, and another one's cubin is not wanted.
std::optional<CompileResult> find_cached(const CubinCache& cache, const CompileRequest& request);
void store_cached(const CubinCache& cache, const CompileRequest& request, const CompileResult& result);

// Why a built program that is nowhere cannot be had.
CompileFailure not_allowed(const CompileRequest& request);

// From the cache where it can be, else compiled and stored; nothing is ever built (jit/build.h). A cache that cannot be
// written is not an error: the compile is repeated next time.
Result<CompileResult> compile_cached(const CubinCache& cache, const CompileRequest& request, double timeout_s);

// For the project's own device code: compiled for `arch`, a failure is an error that carries the log.
CubinProvider make_cubin_provider(CubinCache cache, std::string arch);

// The architecture to ask NVRTC for on behalf of a device: its own, or the nearest below of the same generation that
// this NVRTC knows ("sm_90a" -> "sm_90" never: wgmma would be lost; "sm_103a" -> "sm_100" when 103 is unknown). Error:
// the toolkit is too old for the device.
Result<std::string> supported_arch(const std::string& arch);

} // namespace warptune
