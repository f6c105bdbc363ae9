// Runs the oracle of a kernel once, or what prepares its inputs: compiles, binds buffers by name, launches, waits.
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
  CUdeviceptr initial = 0; // copied into data first, where not null
};

// `bound` by name; buffers of the plan that are not in it are the oracle's own, allocated for the run. Errors of kind
// bad_input: the reference does not compile (with the log), cannot be launched, does not end, or leaves an element of
// an output unwritten.
Result<void> run_reference_plan(CudaDevice& device, const Kernel& kernel, const Problem& problem,
                                const LaunchPlan& plan, const std::map<std::string, ReferenceBuffer>& bound,
                                std::uint64_t seed, const CubinCache& cache);

// The same for the plan of spec.prepare, whose outputs are the inputs with that fill.
Result<void> run_prepare_plan(CudaDevice& device, const Kernel& kernel, const Problem& problem, const LaunchPlan& plan,
                              const std::map<std::string, ReferenceBuffer>& bound, std::uint64_t seed,
                              const CubinCache& cache);

// Whether candidates can be held to an output of the oracle. Errors of kind bad_input: nothing in it is finite, or its
// size does not fit the tolerance's `rms`.
Result<void> check_magnitude(const Kernel& kernel, const Tolerance& tolerance, const BufferPlan& output,
                             const Magnitude& magnitude);

} // namespace warptune
