#include "profiler/timer.h"

#include "core/statistics.h"
#include "embedded/profiler_kernels.h"
#include "profiler/device_timer.h"
#include "profiler/stop_rule.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

namespace warptune {
namespace {

constexpr int kMaxBatch = 64;
// A stream accepts about a thousand operations before the next one blocks the host, which then could not open the gate.
constexpr int kMaxOperations = 600;
constexpr int kOwnOperations = 4; // two events, and two operations of the flush
// Readings change no faster, and one costs as much as a short kernel.
constexpr std::chrono::milliseconds kReadingsAge{20};
constexpr std::uint64_t kSpinLimitNs = 2'000'000'000;
constexpr std::uint32_t kNoTicket = 0; // the first ticket is 1

CompileRequest program_of(const char* file) {
  CompileRequest request;
  request.source_name = file;
  request.source = embedded::profiler_kernels::find(file).value_or("");
  return request;
}

int batch_limit(const TimedWork& work) {
  return std::clamp(kMaxOperations / (work.operations + kOwnOperations), 1, kMaxBatch);
}

Timing summarise(std::vector<float> samples, const MeasureOptions& options, const DeviceReadings& readings) {
  Timing timing;
  const Interval interval = median_interval(samples);
  timing.median_us = median(samples);
  timing.ci_low_us = interval.low;
  timing.ci_high_us = interval.high;
  timing.min_us = *std::min_element(samples.begin(), samples.end());
  if (timing.median_us > 0) timing.rel_iqr = (quantile(samples, 0.75) - quantile(samples, 0.25)) / timing.median_us;
  timing.samples_us = std::move(samples);
  timing.cold_l2 = options.cold_l2;
  timing.sm_clock_mhz = readings.sm_clock_mhz;
  timing.temperature_c = readings.temperature_c;
  timing.power_w = readings.power_w;
  return timing;
}

} // namespace

std::vector<CompileRequest> DeviceTimer::programs() { return {program_of("spin.cu"), L2Flush::program()}; }

Result<DeviceTimer> DeviceTimer::make(const Driver& driver, const CubinProvider& provider, const DeviceLimits& limits,
                                      std::optional<NvmlDevice> nvml) {
  DeviceTimer timer;
  timer.driver_ = &driver;
  timer.nvml_ = nvml;
  WT_TRY(auto program, DeviceProgram::load(driver, provider, program_of("spin.cu")));
  timer.program_ = std::move(program);
  WT_TRY(auto spin, timer.program_.function("spin"));
  timer.spin_ = spin;
  WT_TRY(auto flush, L2Flush::make(driver, provider, limits));
  timer.flush_ = std::move(flush);
  WT_TRY(auto gate, PinnedMemory::allocate(driver, sizeof(std::uint32_t)));
  timer.gate_ = std::move(gate);
  for (int i = 0; i < 2 * kMaxBatch; ++i) {
    WT_TRY(auto event, make_event(driver));
    timer.events_.push_back(std::move(event));
  }
  // Runs each kernel once to load it. The spin kernel does not wait: its limit is 0.
  CUresult status =
      launch_kernel(driver, timer.spin_, LaunchShape{}, nullptr, timer.gate_.device(), timer.ticket_, std::uint64_t{0});
  if (status == CUDA_SUCCESS) status = timer.flush_.enqueue(nullptr, 256);
  if (status == CUDA_SUCCESS) status = driver.cuStreamSynchronize(nullptr);
  WT_CHECK(check_cuda(driver, status, "cannot start the timer"));
  return timer;
}

CUresult DeviceTimer::hold(CUstream stream) {
  ++ticket_;
  return launch_kernel(*driver_, spin_, LaunchShape{}, stream, gate_.device(), ticket_, kSpinLimitNs);
}

// Waits for a ticket that is never released, until the limit.
CUresult DeviceTimer::idle(double us, CUstream stream) {
  return launch_kernel(*driver_, spin_, LaunchShape{}, stream, gate_.device(), kNoTicket,
                       static_cast<std::uint64_t>(us * 1e3));
}

void DeviceTimer::release() {
  std::atomic_ref<std::uint32_t>(*static_cast<std::uint32_t*>(gate_.host())).store(ticket_, std::memory_order_release);
}

CUresult DeviceTimer::enqueue(std::span<const TimedWork* const> works, bool cold_l2, CUstream stream,
                              std::span<const float> idle_us) {
  for (std::size_t i = 0; i < works.size(); ++i) {
    CUresult status = works[i]->restore ? works[i]->restore(stream) : CUDA_SUCCESS;
    if (status == CUDA_SUCCESS && works[i]->poison && i + 1 == works.size()) status = works[i]->poison(stream);
    if (status == CUDA_SUCCESS && cold_l2) status = flush_.enqueue(stream, works[i]->written_bytes);
    if (status == CUDA_SUCCESS) status = driver_->cuEventRecord(events_[2 * i].get(), stream);
    if (status == CUDA_SUCCESS) status = works[i]->run(stream);
    if (status == CUDA_SUCCESS) status = driver_->cuEventRecord(events_[2 * i + 1].get(), stream);
    if (status == CUDA_SUCCESS && i < idle_us.size() && idle_us[i] > 0) status = idle(double{idle_us[i]}, stream);
    if (status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

TimedResult<std::vector<float>> DeviceTimer::batch(std::span<const TimedWork* const> works, bool cold_l2,
                                                   CUstream stream, bool read_now, std::span<const float> idle_us) {
  CUresult status = hold(stream);
  if (status == CUDA_SUCCESS) status = enqueue(works, cold_l2, stream, idle_us);
  release();
  if (status != CUDA_SUCCESS) return tl::make_unexpected(status);
  if (const auto now = std::chrono::steady_clock::now(); nvml_ && (read_now || now - read_at_ >= kReadingsAge)) {
    // In the middle of the batch, when the clock is the one that the samples run at.
    status = wait_for_event(*driver_, events_[2 * (works.size() / 2)].get(), deadline_s);
    if (status != CUDA_SUCCESS) return tl::make_unexpected(status);
    readings_ = nvml_->read();
    lowest_clock_.add(readings_.sm_clock_mhz);
    read_at_ = now;
  }
  status = wait_for_event(*driver_, events_[2 * works.size() - 1].get(), deadline_s);
  if (status != CUDA_SUCCESS) return tl::make_unexpected(status);
  std::vector<float> samples(works.size());
  for (std::size_t i = 0; i < works.size(); ++i) {
    float ms = 0;
    status = driver_->cuEventElapsedTime(&ms, events_[2 * i].get(), events_[2 * i + 1].get());
    if (status != CUDA_SUCCESS) return tl::make_unexpected(status);
    samples[i] = ms * 1e3F;
  }
  return samples;
}

TimedResult<std::vector<float>> DeviceTimer::sample_each(std::span<const TimedWork* const> works, bool cold_l2,
                                                         CUstream stream, std::span<const float> idle_us) {
  std::vector<float> samples;
  std::uint64_t reasons = 0;
  const int own = kOwnOperations + (idle_us.empty() ? 0 : 1);
  while (!works.empty()) {
    std::size_t count = 0;
    int operations = 0;
    while (count < works.size() && count < kMaxBatch &&
           (count == 0 || operations + works[count]->operations + own <= kMaxOperations))
      operations += works[count++]->operations + own;
    const auto idle = idle_us.first(std::min(count, idle_us.size()));
    auto some = batch(works.first(count), cold_l2, stream, true, idle);
    if (!some) return some;
    samples.insert(samples.end(), some->begin(), some->end());
    works = works.subspan(count);
    idle_us = idle_us.subspan(idle.size());
    reasons |= readings_.throttle_reasons;
  }
  readings_.throttle_reasons = reasons;
  return samples;
}

TimedResult<double> DeviceTimer::sample(const TimedWork& work, bool cold_l2, CUstream stream) {
  const TimedWork* one = &work;
  WT_TRY(auto taken, batch({&one, 1}, cold_l2, stream, false));
  return taken.front();
}

Timing DeviceTimer::single(double us, const MeasureOptions& options) const {
  Timing timing = summarise({static_cast<float>(us)}, options, readings_);
  timing.complete = false;
  timing.sm_clock_min_mhz = readings_.sm_clock_mhz; // the only reading
  return timing;
}

TimedResult<Timing> DeviceTimer::measure(const TimedWork& work, const MeasureOptions& options, CUstream stream,
                                         double first_us) {
  if (options.settle_ms > 0)
    if (const CUresult status = idle(options.settle_ms * 1e3, stream); status != CUDA_SUCCESS)
      return tl::make_unexpected(status);
  const bool is_long = options.cold_l2 && first_us >= kLongUs;
  std::vector<float> samples;
  if (is_long) samples.push_back(static_cast<float>(first_us));
  std::array<const TimedWork*, kMaxBatch> works{};
  works.fill(&work);
  double spent_ms = is_long ? first_us / 1e3 : 0;
  Next next = Next::more;
  bool first = true;
  lowest_clock_ = {};
  while (next == Next::more) {
    const int wanted = next_batch(samples, spent_ms, options, std::min(batch_limit(work), kMaxBatch - 1), first_us);
    // The first sample after other work finds cold instruction caches and TLBs, so one more is taken. A long kernel
    // does not need the additional sample. With a warm L2, every batch needs it, to load the data.
    const bool spare = !options.cold_l2 || (first && !is_long);
    WT_TRY(auto taken, batch(std::span(works).first(static_cast<std::size_t>(wanted) + (spare ? 1 : 0)),
                             options.cold_l2, stream, false));
    for (const float sample : taken) spent_ms += sample / 1e3;
    const bool keep_first = spare && taken.front() / 1e3 > options.max_ms / kMinSamples;
    samples.insert(samples.end(), taken.begin() + (spare && !keep_first ? 1 : 0), taken.end());
    first = false;
    next = decide_next(samples, spent_ms, options);
  }
  Timing timing = summarise(std::move(samples), options, readings_);
  timing.complete = next != Next::drop;
  timing.sm_clock_min_mhz = lowest_clock_.or_latest(readings_.sm_clock_mhz);
  return timing;
}

} // namespace warptune
