// Samples of work on a CUDA device, as timer.h promises: a batch of (restore, flush, event, work, event) is queued
// behind a spin kernel, so neither the host's launch latency nor its scheduling is in a sample. Knows no kernels and no
// verdicts.
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

// Enqueues on the stream it is given and never waits. Its functions have to be loaded already (launched once): loading
// may synchronise, which cannot end behind a spin kernel.
struct TimedWork {
  std::function<CUresult(CUstream)> run;
  std::function<CUresult(CUstream)> restore = {}; // untimed, before each sample; may be empty
  // What run leaves modified in the cache at its end, at most all of it: the flush leaves as much for it to write back.
  std::int64_t written_bytes = 0;
  int operations = 4; // things that run and restore enqueue, for the length of a batch
  // Untimed, before the last sample of each batch: what that run leaves can be judged. May be empty.
  std::function<CUresult(CUstream)> poison = {};
};

// CUDA_ERROR_NOT_READY as an error: the work was still running at the deadline, and the process should be replaced.
template <class T> using TimedResult = tl::expected<T, CUresult>;

class DeviceTimer {
 public:
  static Result<DeviceTimer> make(const Driver& driver, const CubinProvider& provider, const DeviceLimits& limits,
                                  std::optional<NvmlDevice> nvml);

  // What make compiles, for whoever can do so beforehand.
  static std::vector<CompileRequest> programs();

  // One sample: restored, poisoned, flushed, and behind the gate.
  TimedResult<double> sample(const TimedWork& work, bool cold_l2, CUstream stream);
  // Until the stop rule is content (profiler/stop_rule.h). Clock, temperature and power are read while the device
  // works. `first_us`: what the sample took that was taken before, 0: none was. Of a long kernel it counts.
  TimedResult<Timing> measure(const TimedWork& work, const MeasureOptions& options, CUstream stream,
                              double first_us = 0);
  // The incomplete timing of a candidate that its first sample proved hopeless.
  Timing single(double us, const MeasureOptions& options) const;

  // One sample of each, in this order, behind one spin kernel where they fit. `idle_us`: how long the device idles
  // after each; empty: not at all.
  TimedResult<std::vector<float>> sample_each(std::span<const TimedWork* const> works, bool cold_l2, CUstream stream,
                                              std::span<const float> idle_us = {});

  // As of the latest sample_each (reasons to throttle: of any time in it), or of a batch of measure shortly before the
  // latest.
  const DeviceReadings& readings() const { return readings_; }

  double deadline_s = 20; // for a batch

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
  LowestClock lowest_clock_; // of the timing under way
  std::chrono::steady_clock::time_point read_at_{};
};

} // namespace warptune
