// Times samples of work on a CUDA device as timer.h describes: a batch of (restore, flush, event, work, event) is
// queued behind a spin kernel, so a sample includes neither the host's launch latency nor its scheduling. Does not
// depend on kernels or verdicts.
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

// The functions enqueue on the given stream and never wait. Their kernels must already be loaded (launched once),
// because loading may synchronise, which would never end behind a spin kernel.
struct TimedWork {
  std::function<CUresult(CUstream)> run;
  std::function<CUresult(CUstream)> restore = {}; // untimed; runs before each sample; may be empty
  // Bytes that `run` leaves modified in the cache, at most the cache's size. The flush leaves the same amount of other
  // data modified, which the run must write back.
  std::int64_t written_bytes = 0;
  int operations = 4; // operations that `run` and `restore` enqueue; limits the length of a batch
  // Untimed; runs before the last sample of each batch, so that this sample's output can be verified. May be empty.
  std::function<CUresult(CUstream)> poison = {};
};

// CUDA_ERROR_NOT_READY means that the work was still running at the deadline; the process should then be replaced.
template <class T> using TimedResult = tl::expected<T, CUresult>;

class DeviceTimer {
 public:
  static Result<DeviceTimer> make(const Driver& driver, const CubinProvider& provider, const DeviceLimits& limits,
                                  std::optional<NvmlDevice> nvml);

  // Returns the programs that `make` compiles, so that a caller can compile them ahead of time.
  static std::vector<CompileRequest> programs();

  // Enqueues one sample: restores, poisons and flushes first; runs behind the spin kernel.
  TimedResult<double> sample(const TimedWork& work, bool cold_l2, CUstream stream);
  // Takes samples until the stop rule ends them (profiler/stop_rule.h). Reads clock, temperature and power while the
  // device works. `first_us`: the time of an earlier sample, 0 if there was none; for a long kernel it counts as a
  // sample.
  TimedResult<Timing> measure(const TimedWork& work, const MeasureOptions& options, CUstream stream,
                              double first_us = 0);
  // Returns the incomplete timing of a candidate whose first sample was hopelessly slow.
  Timing single(double us, const MeasureOptions& options) const;

  // Takes one sample of each work, in this order, behind one spin kernel if all fit in a batch. `idle_us`: the device's
  // idle time after each sample; empty: none.
  TimedResult<std::vector<float>> sample_each(std::span<const TimedWork* const> works, bool cold_l2, CUstream stream,
                                              std::span<const float> idle_us = {});

  // The sensor readings during the last sample_each (with all throttle reasons that occurred), or during a recent batch
  // of measure.
  const DeviceReadings& readings() const { return readings_; }

  double deadline_s = 20; // seconds for a batch

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
  LowestClock lowest_clock_; // during the current timing
  std::chrono::steady_clock::time_point read_at_{};
};

} // namespace warptune
