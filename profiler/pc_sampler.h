// PC sampling with CUPTI: which instructions the warps of a launch sequence are at, and what they wait for. Sampled
// launches are slower, so nothing is timed. Samples refer to offsets in a cubin; source_lines.h finds their source
// lines.
#pragma once

#include "core/device.h"
#include "core/pc_samples.h"
#include "gpu/device_program.h"
#include "profiler/counter_source.h"

#include <memory>
#include <string>
#include <string_view>

namespace warptune {

struct CuptiLibrary;

struct SamplingPlan {
  int launches = 1;
  int period_log2 = 12; // each multiprocessor is sampled every 2^period_log2 cycles; CUPTI accepts 5 to 31
};

// Plans the sampling of a launch sequence that takes `us` microseconds on this many multiprocessors at this clock.
// The plan has enough samples that the error of a share is below one percentage point, but no more samples per second
// than the hardware can store.
SamplingPlan sampling_plan(double us, std::int64_t multiprocessors, double sm_clock_mhz);

struct StallReason {
  std::string name;        // "long_scoreboard"
  bool not_issued = false; // whether this reason counts only samples without an issued instruction
};
// Parses CUPTI's name of a stall reason: "smsp__pcsamp_warps_issue_stalled_wait_not_issued".
StallReason parse_stall_reason(std::string_view cupti_name);

class PcSampler {
 public:
  // Enables sampling in the current context until the object is destroyed. The kernels must be loaded after this call.
  // Error (no_device): why this device cannot sample, and what to do.
  static Result<PcSampler> open(const Driver& driver, const CubinProvider& provider, const DeviceLimits& limits);
  static Result<PcSampler> open(const Driver& driver, const CuptiLibrary& cupti, const CubinProvider& provider,
                                const DeviceLimits& limits);
  PcSampler(PcSampler&&) noexcept;
  PcSampler& operator=(PcSampler&&) = delete;
  ~PcSampler();

  // Launches the work several times and waits. Leaves out instructions that are not in `cubin`, such as those of the L2
  // flush and of libraries. Does not set source lines. Error: a launch failed (see run_status), or CUPTI failed.
  Result<PcSamples> sample(const ProfiledWork& work, std::string_view cubin, const SamplingPlan& plan, bool cold_l2,
                           CUstream stream);

  // The status of the last launches. CUDA_ERROR_NOT_READY: they were still running at the deadline.
  CUresult run_status() const;
  // Call this if a launch still runs. Releases nothing, because a release would wait for the launch, and because CUPTI
  // still writes to this object's buffers. The object must not be used afterwards. The destructor does the same if the
  // last launch was still running at its deadline.
  void abandon();

  double deadline_s = 15; // seconds per launch

 private:
  struct State;
  explicit PcSampler(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace warptune
