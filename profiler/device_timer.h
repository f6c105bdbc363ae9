// Times samples of work on a CUDA device, as timer.h describes. A batch of (restore, flush, event, work, event) is
// queued behind a spin kernel, which ends when the whole batch is queued. So a sample does not include the CPU's launch
// latency or scheduling.
#pragma once

#include "gpu/device_program.h"
#include "gpu/handles.h"
#include "gpu/nvml.h"
#include "profiler/l2_flush.h"
#include "profiler/timer.h"

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace warptune {

// The functions of this struct must only enqueue on the stream and never wait. Their kernels must have been launched
// once, because loading a kernel may synchronise, and would then wait forever for the spin kernel.
struct TimedWork {
  std::function<CUresult(CUstream)> run;
  std::function<CUresult(CUstream)> restore = {}; // runs before each sample, not timed; may be empty
  // Bytes of the outputs of `run`, which it leaves modified in the L2. The flush leaves the same number of modified
  // bytes of other data in the L2 (at most the L2's size), so the timed run includes writing those bytes back.
  // Workspaces do not count: their size may be far above what is written (a library's workspace), and all
  // implementations that compute the same outputs must be timed under the same conditions.
  std::int64_t written_bytes = 0;
  int operations = 4; // number of operations that `run` and `restore` enqueue, which limits the length of a batch
  // Runs before the last sample of each batch, not timed, so that the output of this sample can be verified. May be
  // empty.
  std::function<CUresult(CUstream)> poison = {};
};

// CUDA_ERROR_NOT_READY: the work was still running at the deadline, and the process should be replaced.
template <class T> using TimedResult = tl::expected<T, CUresult>;

class DeviceTimer {
 public:
  static Result<DeviceTimer> make(const Driver& driver, const CubinProvider& provider, const DeviceLimits& limits,
                                  std::optional<NvmlDevice> nvml);

  // Returns the programs that make() compiles, so that a caller can compile them ahead of time.
  static std::vector<CompileRequest> programs();

  // Takes one sample behind the spin kernel, after restore, poison and flush. Returns us.
  TimedResult<double> sample(const TimedWork& work, bool cold_l2, CUstream stream);
  // Takes samples until the stop rule ends them (profiler/stop_rule.h). Reads clock, temperature and power while the
  // device works. `first_us`: the time of an earlier sample (0: none). With a cold L2 and a long kernel (kLongUs), that
  // sample counts too.
  TimedResult<Timing> measure(const TimedWork& work, const MeasureOptions& options, CUstream stream,
                              double first_us = 0);
  // Returns the incomplete timing of a candidate whose first sample was so slow that it cannot win.
  Timing single(double us, const MeasureOptions& options) const;

  // Takes one sample of each work, in this order, behind one spin kernel if all fit in a batch. `idle_us`: how long the
  // device idles after each sample; empty: it does not idle.
  TimedResult<std::vector<float>> sample_each(std::span<const TimedWork* const> works, bool cold_l2, CUstream stream,
                                              std::span<const float> idle_us = {});

  // The latest sensor readings. After sample_each(), they have the throttle reasons of all its batches.
  const DeviceReadings& readings() const { return readings_; }

  double deadline_s = 20; // seconds per batch

 private:
  TimedResult<std::vector<float>> batch(std::span<const TimedWork* const> works, bool cold_l2, CUstream stream,
                                        bool read_now, std::span<const float> idle_us = {});
  CUresult enqueue(std::span<const TimedWork* const> works, bool cold_l2, CUstream stream,
                   std::span<const float> idle_us);
  CUresult hold(CUstream stream);
  CUresult idle(double us, CUstream stream);
  void release();

  const Driver* driver_ = nullptr;
  DeviceProgram program_;
  CUfunction spin_ = nullptr;
  L2Flush flush_;
  PinnedMemory gate_;
  std::uint32_t ticket_ = 0;
  std::vector<Event> events_; // two per sample of a batch
  std::optional<NvmlDevice> nvml_;
  DeviceReadings readings_;
  LowestClock lowest_clock_; // lowest clock of the current timing
  std::chrono::steady_clock::time_point read_at_{};
};

} // namespace warptune
