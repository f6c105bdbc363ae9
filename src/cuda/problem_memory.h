// The buffers of one (kernel, problem) on the device: inputs drawn from a seed, reference outputs, guarded outputs and
// workspaces. Candidates use this memory one after another. Compiles only the reference kernel, and times nothing.
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

// How the memory of an examination (core/examination.h) differs from that of a usual trial.
struct MemoryOptions {
  Examination values = Examination::usual;     // which values the inputs have
  bool has_guards = true;                      // whether zones of known bytes surround the buffers
  std::map<std::string, std::int64_t> offsets; // buffer -> offset in bytes for candidates; other buffers: 0
};

class ProblemMemory {
 public:
  // Allocates the buffers, fills the inputs and runs the reference. Kernel and device must outlive the object.
  static Result<std::unique_ptr<ProblemMemory>> open(CudaDevice& device, const Kernel& kernel, const Problem& problem,
                                                     std::uint64_t seed, const CubinCache& cache,
                                                     MemoryOptions options = {});

  // Draws new inputs, and makes the inputs that spec.prepare computes from them. The reference outputs still belong to
  // the old inputs until solve() is called.
  Result<void> draw(std::uint64_t seed);
  Result<void> solve();
  // Makes the inputs and reference outputs of this seed, unless they are already there.
  Result<void> ensure(std::uint64_t seed);

  // Returns one pointer per entry of plan.buffers. Enlarges workspaces if needed, which changes generation(); earlier
  // pointers are then invalid.
  Result<std::vector<CUdeviceptr>> pointers(const LaunchPlan& plan);
  int generation() const { return generation_; }

  // Call before a launch that will be verified. Poisons outputs and workspaces, restores the other buffers, and writes
  // the guard zones.
  Result<void> prepare(const LaunchPlan& plan);
  // Poisons outputs and workspaces as prepare() does. Precondition: prepare() was called for this plan. Only enqueues
  // work, so a timed launch may follow, and can be verified.
  Result<void> poison(const LaunchPlan& plan, CUstream stream);
  // Call before a timed launch. Restores only the buffers that have a pristine copy, with operation_count() operations
  // on the stream.
  CUresult restore(CUstream stream) const noexcept;
  int operation_count() const;

  Result<Verdict> verify(const LaunchPlan& plan);
  std::vector<CheckedOutput> checked_outputs() const;
  bool takes_special_values() const; // whether MemoryOptions::values changes any buffer

  // Call after a wrong result, because the launch may have overwritten inputs, pristine copies or reference outputs.
  // Restores them, and returns whether any was damaged.
  Result<bool> heal();

 private:
  struct Buffer {
    BufferPlan plan;
    std::size_t position = 0;
    GuardedBuffer memory;
    DeviceMemory pristine;      // if has_pristine: the content before a launch, at an aligned address
    std::uint64_t checksum = 0; // checksum of an input or inout, computed when it is drawn
    bool filled = false;
    DeviceMemory reference; // for outputs and inouts
    DType reference_dtype = DType::fp32;
    std::uint64_t reference_checksum = 0;
    double reference_rms = 0;
    Tolerance tolerance; // for outputs and inouts
    // True for inouts, and for inputs that candidates get at an offset (`offsets`), because the reference reads the
    // aligned copy.
    bool has_pristine = false;

    // The address where inputs are made, and where the reference and `prepare` read them.
    CUdeviceptr source() const { return has_pristine ? pristine.get() : memory.data(); }
    // The guard zone over the gaps between the buffer's rows, in the copy that begins at `data`.
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
  LaunchPlan reference_plan_, prepare_plan_; // prepare_plan_: without launches if no input has the fill `prepared`
  std::vector<Buffer> buffers_;              // buffers of all roles except workspace, in the order of the spec
  std::map<std::string, GuardedBuffer> workspaces_;
  std::uint64_t seed_ = 0;
  bool drawn_ = false, solved_ = false;
  int generation_ = 0;
};

} // namespace warptune
