// Runs the reference kernel, or the plan that prepares its inputs, once: compiles, binds buffers by name, launches,
// waits.
#pragma once

#include "cuda/cuda_device.h"
#include "jit/cubin_cache.h"
#include "jit/template_store.h"
#include "plan/plan.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warptune {

struct ReferenceBuffer {
  CUdeviceptr data = 0;
  CUdeviceptr initial = 0; // if not null, copied into `data` before the run
};

// `bound`: buffers by name; the plan's other buffers belong to the reference kernel and are allocated for the run.
// Errors of kind bad_input: the reference kernel does not compile (with the log), cannot be launched, does not end, or
// leaves an element of an output unwritten.
Result<void> run_reference_plan(CudaDevice& device, const Kernel& kernel, const Problem& problem,
                                const LaunchPlan& plan, const std::map<std::string, ReferenceBuffer>& bound,
                                std::uint64_t seed, const CubinCache& cache);

// The same for the plan of spec.prepare. Its outputs are the inputs with the fill `prepared`.
Result<void> run_prepare_plan(CudaDevice& device, const Kernel& kernel, const Problem& problem, const LaunchPlan& plan,
                              const std::map<std::string, ReferenceBuffer>& bound, std::uint64_t seed,
                              const CubinCache& cache);

// Whether candidates can be checked against a reference output. Errors of kind bad_input: the output has no finite
// element, or is too large for the tolerance's `rms`.
Result<void> check_magnitude(const Kernel& kernel, const Tolerance& tolerance, const BufferPlan& output,
                             const Magnitude& magnitude);

} // namespace warptune
