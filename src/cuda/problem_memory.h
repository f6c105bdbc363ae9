// The buffers of one (kernel, problem), all on the device: inputs drawn from a seed, reference outputs, guarded outputs
// and workspaces. Candidates share this memory one after another. Depends on plans and buffers; compiles only the
// reference kernel; times nothing.
#pragma once

#include "core/examination.h"
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

// How the memory differs from that of usual trials.
struct MemoryOptions {
  Examination values = Examination::usual;     // values of the inputs
  bool has_guards = true;                      // whether zones of known bytes surround the buffers
  std::map<std::string, std::int64_t> offsets; // offsets in bytes at which candidates get buffers; others: 0
};

class ProblemMemory {
 public:
  // Allocates, fills the inputs and runs the reference kernel. Kernel and device must outlive the object.
  static Result<std::unique_ptr<ProblemMemory>> open(CudaDevice& device, const Kernel& kernel, const Problem& problem,
                                                     std::uint64_t seed, const CubinCache& cache,
                                                     MemoryOptions options = {});

  // Draws new inputs, including those that spec.prepare makes from them. The reference outputs stay those of the old
  // inputs until solve() is called.
  Result<void> draw(std::uint64_t seed);
  Result<void> solve();
  // Makes the inputs and reference outputs of this seed, unless they are already present.
  Result<void> ensure(std::uint64_t seed);

  // Returns one pointer per plan.buffers. Grows workspaces if needed; when generation() changes, earlier pointers are
  // invalid.
  Result<std::vector<CUdeviceptr>> pointers(const LaunchPlan& plan);
  int generation() const { return generation_; }

  // Call it before a launch that will be verified: poisons outputs and workspaces, restores other buffers, writes
  // guards.
  Result<void> prepare(const LaunchPlan& plan);
  // Does only the poisoning of prepare, for a plan that was already prepared. It only enqueues, so that a timed launch
  // can be verified.
  Result<void> poison(const LaunchPlan& plan, CUstream stream);
  // Call it before a timed launch: only restores buffers that have a pristine copy. Enqueues operation_count()
  // operations.
  CUresult restore(CUstream stream) const noexcept;
  int operation_count() const;

  Result<Verdict> verify(const LaunchPlan& plan);
  std::vector<CheckedOutput> checked_outputs() const;
  bool takes_special_values() const; // whether any buffer takes the options' values

  // Call it after a wrong result, because inputs, pristine copies or reference outputs may have been overwritten.
  // Returns whether data was damaged; it is then restored.
  Result<bool> heal();

 private:
  struct Buffer {
    BufferPlan plan;
    std::size_t position = 0;
    GuardedBuffer memory;
    DeviceMemory pristine;      // the content before a launch, at an aligned address, if has_pristine
    std::uint64_t checksum = 0; // for input and inout: computed when the inputs are drawn
    bool filled = false;
    DeviceMemory reference; // output and inout
    DType reference_dtype = DType::fp32;
    std::uint64_t reference_checksum = 0;
    double reference_rms = 0;
    Tolerance tolerance; // output and inout
    // True for inouts, and for inputs that candidates get at an offset (`offsets`); the reference reads the aligned
    // copy.
    bool has_pristine = false;

    // The address at which inputs are made, and from which the reference and `prepare` read them.
    CUdeviceptr source() const { return has_pristine ? pristine.get() : memory.data(); }
    // The guard zone of the gaps between the buffer's rows, in the copy that begins at `data`.
    GuardZone gaps(CUdeviceptr data) const;
  };
  ProblemMemory(CudaDevice& device, const Kernel& kernel, Problem problem, const CubinCache& cache,
                MemoryOptions options)
      : device_(device), kernel_(kernel), problem_(std::move(problem)), cache_(cache), options_(std::move(options)) {}

  Result<void> allocate();
  Result<void> allocate(Buffer& buffer) const;
  Result<void> prepare_inputs(std::uint64_t seed);
  GuardLayout layout_of(const std::string& buffer) const;
  std::vector<CheckedInput> checked_inputs() const;
  bool is_written(const Buffer& buffer) const { return buffer.plan.role != Role::input; }

  CudaDevice& device_;
  const Kernel& kernel_;
  Problem problem_;
  CubinCache cache_;
  MemoryOptions options_;
  LaunchPlan reference_plan_, prepare_plan_; // prepare_plan_ has no launches if no input has the fill `prepared`
  std::vector<Buffer> buffers_;              // buffers of all roles except workspace, in the order of the spec
  std::map<std::string, GuardedBuffer> workspaces_;
  std::uint64_t seed_ = 0;
  bool drawn_ = false, solved_ = false;
  int generation_ = 0;
};

} // namespace warptune
