// Counts for each instruction how often it was executed, and how many sectors and wavefronts its memory accesses
// needed, through CUPTI's SASS metrics: CUPTI patches the kernel's code so that it counts. Patched launches are ten or
// more times slower, so nothing is timed. No hardware counter is used. Counts refer to offsets in a cubin;
// source_lines.h finds their lines.
#pragma once

#include "core/pc_samples.h"
#include "gpu/device_program.h"
#include "profiler/counter_source.h"

#include <memory>
#include <string_view>

namespace warptune {

struct CuptiLibrary;

class SassCounter {
 public:
  // Configures counting in the current context until the object is destroyed. Load the kernels afterwards. CUPTI 13.0
  // can count only once in a process. Error (no_device): why instructions cannot be counted here, and what to do.
  static Result<SassCounter> open(const Driver& driver);
  static Result<SassCounter> open(const Driver& driver, const CuptiLibrary& cupti);
  SassCounter(SassCounter&&) noexcept;
  SassCounter& operator=(SassCounter&&) = delete;
  ~SassCounter();

  // Launches the work once and waits. The result has counts and no samples. Instructions outside `cubin` are left out.
  // Lines are not filled in. Error: a launch failed (see run_status), or CUPTI failed.
  Result<PcSamples> count(const ProfiledWork& work, std::string_view cubin, CUstream stream);

  // Result of the last launch; CUDA_ERROR_NOT_READY: it was still running at the deadline.
  CUresult run_status() const;
  // Call it while the launch still runs. Releases nothing, because CUPTI would wait for the launch. The object cannot
  // be used afterwards. The destructor does the same if the launch was still running at its deadline.
  void abandon();

  double deadline_s = 40; // for one launch

 private:
  struct State;
  explicit SassCounter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace warptune
