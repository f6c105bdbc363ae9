#include "profiler/power_meter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <thread>

namespace warptune {
namespace {

using Clock = std::chrono::steady_clock;

// The counter lags by some tens of milliseconds, and the clock takes longer to fall to what the power limit allows:
// after 0.2 s, a softmax still drew 8 % more power than at the end (H200).
constexpr double kSettle_s = 0.4;
constexpr double kSilent_s = 1.0; // without a change after that: the counter has stopped
constexpr std::chrono::milliseconds kPollEvery{1};
constexpr double kChunk_us = 5000;
constexpr int kMaxChunk = 2000;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Reads the counter in its own thread: a call takes milliseconds, in which a queue of short kernels would run empty.
class Watch {
 public:
  Watch(const NvmlDevice& nvml, Clock::time_point begin) : nvml_(nvml), begin_(begin), thread_([this] { run(); }) {}
  ~Watch() { stop(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  double counted() {
    const std::lock_guard lock(mutex_);
    return counted_seconds(trace_, kSettle_s);
  }
  EnergyTrace stop() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return trace_;
  }

 private:
  void run() {
    double last = nvml_.energy_mj().value_or(0);
    while (!over_) {
      const double now = nvml_.energy_mj().value_or(last);
      const double at_s = seconds_since(begin_);
      if (now != last) {
        const DeviceReadings readings = nvml_.read();
        const std::lock_guard lock(mutex_);
        trace_.changes.push_back({at_s, now});
        if (at_s >= kSettle_s) {
          trace_.clock_sum_mhz += readings.sm_clock_mhz;
          trace_.temperature_c = readings.temperature_c;
          trace_.throttle_reasons |= readings.throttle_reasons;
          ++trace_.readings;
        }
        last = now;
      }
      std::this_thread::sleep_for(kPollEvery);
    }
  }

  const NvmlDevice& nvml_;
  const Clock::time_point begin_;
  std::mutex mutex_;
  EnergyTrace trace_;
  std::atomic<bool> over_{false};
  std::thread thread_; // last member, because the thread uses the others
};

CUresult repeat(const std::function<CUresult(CUstream)>& run, int count, CUstream stream) {
  for (int i = 0; i < count; ++i)
    if (const CUresult status = run(stream); status != CUDA_SUCCESS) return status;
  return CUDA_SUCCESS;
}

} // namespace

static const EnergyTrace::Point* first_counted(const EnergyTrace& trace, double from_s) {
  for (const EnergyTrace::Point& point : trace.changes)
    if (point.at_s >= from_s) return &point;
  return nullptr;
}

double counted_seconds(const EnergyTrace& trace, double from_s) {
  const EnergyTrace::Point* first = first_counted(trace, from_s);
  return first ? trace.changes.back().at_s - first->at_s : 0;
}

double average_watts(const EnergyTrace& trace, double from_s) {
  const double seconds = counted_seconds(trace, from_s);
  if (!(seconds > 0)) return 0;
  return (trace.changes.back().energy_mj - first_counted(trace, from_s)->energy_mj) / 1e3 / seconds;
}

TimedResult<int> PowerMeter::repetitions_a_chunk(const Enqueue& run, CUstream stream) {
  auto begun = make_event(driver_), done = make_event(driver_);
  if (!begun || !done) return tl::make_unexpected(CUDA_ERROR_OUT_OF_MEMORY);
  for (int count = 1;; count *= 4) {
    CUresult status = driver_.cuEventRecord(begun->get(), stream);
    if (status == CUDA_SUCCESS) status = repeat(run, count, stream);
    if (status == CUDA_SUCCESS) status = driver_.cuEventRecord(done->get(), stream);
    if (status == CUDA_SUCCESS) status = wait_for_event(driver_, done->get(), deadline_s);
    float ms = 0;
    if (status == CUDA_SUCCESS) status = driver_.cuEventElapsedTime(&ms, begun->get(), done->get());
    if (status != CUDA_SUCCESS) return tl::make_unexpected(status);
    if (ms * 1e3 >= kChunk_us / 4 || count >= kMaxChunk / 4)
      return std::clamp(static_cast<int>(count * kChunk_us / std::max(1.0, ms * 1e3)), 1, kMaxChunk);
  }
}

// Keeps two chunks queued. The time of one repetition is taken between the ends of chunks, on the device.
TimedResult<PowerMeter::Load> PowerMeter::load(const Enqueue& run, double window_s, CUstream stream) {
  WT_TRY(auto chunk, repetitions_a_chunk(run, stream));
  std::array<Event, 2> ends;
  for (Event& end : ends) {
    auto made = make_event(driver_);
    if (!made) return tl::make_unexpected(CUDA_ERROR_OUT_OF_MEMORY);
    end = std::move(*made);
  }
  auto settled = make_event(driver_);
  if (!settled) return tl::make_unexpected(CUDA_ERROR_OUT_OF_MEMORY);

  const Clock::time_point begin = Clock::now();
  Watch watch(nvml_, begin);
  std::int64_t counted = -1; // repetitions since `settled`; -1: it is not recorded yet
  CUresult status = CUDA_SUCCESS;
  for (int i = 0; status == CUDA_SUCCESS; ++i) {
    const double at_s = seconds_since(begin), window = watch.counted();
    const CUevent end = ends[static_cast<std::size_t>(i % 2)].get();
    const bool is_silent = at_s > kSettle_s + kSilent_s + (window > 0 ? window_s : 0); // the energy counter has stopped
    if (counted > 0 && (window >= window_s || is_silent)) break;
    if (i >= 2) status = wait_for_event(driver_, end, deadline_s);
    if (status == CUDA_SUCCESS) status = repeat(run, chunk, stream);
    if (counted >= 0) counted += chunk;
    if (status == CUDA_SUCCESS && counted < 0 && at_s >= kSettle_s) {
      status = driver_.cuEventRecord(settled->get(), stream);
      counted = 0;
    }
    if (status == CUDA_SUCCESS) status = driver_.cuEventRecord(end, stream);
  }
  const EnergyTrace trace = watch.stop();
  auto done = make_event(driver_);
  if (!done) return tl::make_unexpected(CUDA_ERROR_OUT_OF_MEMORY);
  if (status == CUDA_SUCCESS) status = driver_.cuEventRecord(done->get(), stream);
  if (status == CUDA_SUCCESS) status = wait_for_event(driver_, done->get(), deadline_s);
  float ms = 0;
  if (status == CUDA_SUCCESS) status = driver_.cuEventElapsedTime(&ms, settled->get(), done->get());
  if (status != CUDA_SUCCESS) return tl::make_unexpected(status);
  Load load;
  load.watts = average_watts(trace, kSettle_s);
  load.window_s = counted_seconds(trace, kSettle_s);
  load.repetitions = counted;
  load.us = ms * 1e3 / static_cast<double>(counted);
  load.clock_mhz = trace.readings > 0 ? trace.clock_sum_mhz / trace.readings : 0;
  load.temperature_c = trace.temperature_c;
  load.throttle_reasons = trace.throttle_reasons;
  return load;
}

TimedResult<PowerReading> PowerMeter::measure(const TimedWork& work, double window_s, CUstream stream) {
  const Enqueue restored = [&work](CUstream s) {
    const CUresult status = work.restore(s);
    return status == CUDA_SUCCESS ? work.run(s) : status;
  };
  WT_TRY(const auto whole, load(work.restore ? restored : work.run, window_s, stream));
  double joules = whole.watts * whole.us / 1e6, us = whole.us;
  if (work.restore) {
    WT_TRY(const auto restoring, load(work.restore, window_s, stream));
    joules -= restoring.watts * restoring.us / 1e6;
    us -= restoring.us;
  }
  PowerReading reading;
  if (!(joules > 0 && us > 0)) return reading;
  reading.energy_mj = joules * 1e3;
  reading.average_w = joules * 1e6 / us;
  reading.sm_clock_mhz = whole.clock_mhz;
  reading.temperature_c = whole.temperature_c;
  reading.throttle_reasons = whole.throttle_reasons;
  reading.launches = whole.repetitions;
  reading.window_ms = whole.window_s * 1e3;
  return reading;
}

} // namespace warptune
