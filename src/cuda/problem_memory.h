// The buffers of one (kernel, problem): inputs drawn from a seed, the oracle's outputs, guarded outputs and workspaces,
// all on the device. Candidates come and go; this stays. Knows plans and buffers, compiles only the oracle, times
// nothing.
#pragma once

#include "cuda/cuda_device.h"
#include "cuda/guarded_buffer.h"
#include "jit/cubin_cache.h"
#include "jit/template_store.h"
#include "plan/plan.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warptune {

class ProblemMemory {
 public:
  // Allocates, fills the inputs and runs the oracle. Kernel and device must outlive it.
  static Result<std::unique_ptr<ProblemMemory>> open(CudaDevice& device, const Kernel& kernel, const Problem& problem,
                                                     std::uint64_t seed, const CubinCache& cache);

  // Draws the inputs anew, and makes those that are prepared from them; the oracle's outputs belong to the old ones
  // until solve().
  Result<void> draw(std::uint64_t seed);
  Result<void> solve();
  // Inputs and oracle as of this seed; nothing to do when they are.
  Result<void> ensure(std::uint64_t seed);

  // One pointer per plan.buffers. Grows workspaces where needed; a change of generation() means earlier pointers are
  // void.
  Result<std::vector<CUdeviceptr>> pointers(const LaunchPlan& plan);
  int generation() const { return generation_; }

  // Before a launch that will be verified: outputs and workspaces poisoned, inouts restored, guards written.
  Result<void> prepare(const LaunchPlan& plan);
  // Of that the poison alone, for a plan that was prepared before: enqueues, so that a timed launch can be judged.
  Result<void> poison(const LaunchPlan& plan, CUstream stream);
  // Before a timed launch: inouts alone. Enqueues; operation_count() things.
  CUresult restore(CUstream stream) const noexcept;
  int operation_count() const;

  Result<Verdict> verify(const LaunchPlan& plan);
  bool has_inout() const { return has_inout_; }

  // After a wrong result: inputs, pristine copies or the oracle's outputs may have been hit. True: something was
  // damaged and is whole again.
  Result<bool> heal();

 private:
  struct Buffer {
    BufferPlan plan;
    std::size_t position = 0;
    GuardedBuffer memory;
    DeviceMemory pristine;      // inout: what it holds before a launch
    std::uint64_t checksum = 0; // input and inout, when drawn
    bool filled = false;
    DeviceMemory reference; // output and inout
    DType reference_dtype = DType::fp32;
    std::uint64_t reference_checksum = 0;
    double reference_rms = 0;
    Tolerance tolerance; // output and inout
  };
  ProblemMemory(CudaDevice& device, const Kernel& kernel, Problem problem, const CubinCache& cache)
      : device_(device), kernel_(kernel), problem_(std::move(problem)), cache_(cache) {}

  Result<void> allocate();
  Result<void> prepare_inputs(std::uint64_t seed);
  std::vector<CheckedOutput> checked_outputs() const;
  std::vector<CheckedInput> checked_inputs() const;
  bool is_written(const Buffer& buffer) const { return buffer.plan.role != Role::input; }

  CudaDevice& device_;
  const Kernel& kernel_;
  Problem problem_;
  CubinCache cache_;
  LaunchPlan reference_plan_, prepare_plan_; // the latter without launches where no input is prepared
  std::vector<Buffer> buffers_;              // of every role but workspace, in the order of the spec
  std::map<std::string, GuardedBuffer> workspaces_;
  std::uint64_t seed_ = 0;
  bool drawn_ = false, solved_ = false, has_inout_ = false;
  int generation_ = 0;
};

} // namespace warptune
