// Counts how often each instruction was executed, and how many sectors and wavefronts its memory accesses needed. Uses
// CUPTI's SASS metrics, for which CUPTI patches the kernel's code; no hardware counter is used. Patched launches take
// at least ten times as long, so nothing is timed. Counts refer to offsets in a cubin; source_lines.h finds their
// source lines.
#pragma once

#include "core/pc_samples.h"
#include "profiler/counter_source.h"

#include <memory>
#include <string_view>

namespace warptune {

struct CuptiLibrary;

class SassCounter {
 public:
  // Enables counting in the current context until the object is destroyed. The kernels must be loaded after this call.
  // With CUPTI 13.0, a process can call this function only once. Error (no_device): why instructions cannot be counted,
  // and what to do.
  static Result<SassCounter> open(const Driver& driver);
  static Result<SassCounter> open(const Driver& driver, const CuptiLibrary& cupti);
  SassCounter(SassCounter&&) noexcept;
  SassCounter& operator=(SassCounter&&) = delete;
  ~SassCounter();

  // Launches the work once and waits. The result has counts but no samples. Leaves out instructions that are not in
  // `cubin`. Does not set source lines. Error: a launch failed (see run_status), or CUPTI failed.
  Result<PcSamples> count(const ProfiledWork& work, std::string_view cubin, CUstream stream);

  // The status of the last launch. CUDA_ERROR_NOT_READY: it was still running at the deadline.
  CUresult run_status() const;
  // Call this if the launch still runs. It releases nothing, because CUPTI would wait for the launch. The object must
  // not be used afterwards. The destructor does the same if the launch was still running at its deadline.
  void abandon();

  double deadline_s = 40; // seconds per launch

 private:
  struct State;
  explicit SassCounter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace warptune
