// Runs the reference, or the plan that prepares its inputs, once: compiles it, finds its buffers by name, launches it
// and waits.
#pragma once

#include "cuda/cuda_device.h"
#include "jit/cubin_cache.h"
#include "jit/template_store.h"
#include "plan/plan.h"

#include <cstdint>
#include <map>
#include <string>

namespace warptune {

struct ReferenceBuffer {
  CUdeviceptr data = 0;
  CUdeviceptr initial = 0; // if not null, copied into `data` before the run
};

// `bound`: name -> buffer. The plan's other buffers belong to the reference only and are allocated for this run. Errors
// (bad_input): the reference does not compile (with the log), cannot be launched, does not end, or does not write all
// elements of an output.
Result<void> run_reference_plan(CudaDevice& device, const Kernel& kernel, const Problem& problem,
                                const LaunchPlan& plan, const std::map<std::string, ReferenceBuffer>& bound,
                                std::uint64_t seed, const CubinCache& cache);

// Like run_reference_plan, for the plan of spec.prepare. Its outputs are the inputs with fill `prepared`.
Result<void> run_prepare_plan(CudaDevice& device, const Kernel& kernel, const Problem& problem, const LaunchPlan& plan,
                              const std::map<std::string, ReferenceBuffer>& bound, std::uint64_t seed,
                              const CubinCache& cache);

// Checks whether candidates can be compared with a reference output. Errors (bad_input): the output has no finite
// element, or is too large for the `rms` of the tolerance.
Result<void> check_magnitude(const Kernel& kernel, const Tolerance& tolerance, const BufferPlan& output,
                             const Magnitude& magnitude);

} // namespace warptune
