#include "profiler/cupti_counters.h"

#include "profiler/cupti_library.h"
#include "profiler/cupti_refusal.h"
#include "profiler/l2_flush.h"
#include "profiler/metric_catalog.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warptune {
namespace {

// A batch takes about 40 ms in addition to its kernels, and 0.1 to 0.4 MB of counter data per range.
constexpr std::size_t kLargestBatch = 64;

class CuptiCounters final : public CounterSource {
 public:
  CuptiCounters(const Driver& driver, const CuptiLibrary& cupti, CUcontext context, MetricCatalog catalog,
                L2Flush flush, Event done)
      : driver_(driver), cupti_(cupti), context_(context), catalog_(std::move(catalog)), flush_(std::move(flush)),
        done_(std::move(done)) {}
  ~CuptiCounters() override { release(); }

  std::string source() const override { return "CUPTI " + cupti_.version; }
  std::string why_not() const override { return {}; }

  Result<std::vector<std::string>> resolve(std::string_view list, DType dtype) override {
    return resolve_metrics(catalog_, list, dtype);
  }

  Result<int> passes(const std::vector<std::string>& metrics) override {
    if (metrics == config_.metrics) return config_.passes;
    WT_TRY(auto config, catalog_.configure(metrics));
    return config.passes;
  }

  Result<std::vector<CounterValues>> collect(std::span<const ProfiledWork> works,
                                             const std::vector<std::string>& metrics, bool cold_l2,
                                             CUstream stream) override {
    std::vector<CounterValues> all;
    run_status_ = CUDA_SUCCESS;
    for (std::size_t first = 0; first < works.size(); first += kLargestBatch) {
      auto some = batch(works.subspan(first, std::min(kLargestBatch, works.size() - first)), metrics, cold_l2, stream);
      if (!some) {
        failed_work_ += first;
        abandoned_ = run_status_ == CUDA_ERROR_NOT_READY;
        release();
        return some;
      }
      std::move(some->begin(), some->end(), std::back_inserter(all));
    }
    return all;
  }

  void release() override {
    if (profiler_ == nullptr || abandoned_) return;
    WT_CUPTI_PARAMS(CUpti_RangeProfiler_Disable, params);
    params.pRangeProfilerObject = profiler_;
    cupti_.cuptiRangeProfilerDisable(&params);
    profiler_ = nullptr;
    config_ = {};
    counter_data_.clear();
    capacity_ = 0;
  }

 private:
  Result<void> check(CUptiResult status, const char* what) const {
    if (status == CUPTI_SUCCESS) return {};
    return fail(ErrorKind::no_device, fmt::format("cannot {}: {}", what, cupti_refusal(cupti_, status)));
  }

  // CUPTI 13.0 keeps using the images that it was given and the first config after Enable, whatever SetConfig says. So
  // another list of metrics needs another Enable, and both images must live until the next SetConfig or Disable.
  Result<void> configure(const std::vector<std::string>& metrics, std::size_t ranges) {
    if (profiler_ != nullptr && metrics != config_.metrics) release();
    if (profiler_ == nullptr) {
      WT_TRY(auto config, catalog_.configure(metrics));
      WT_CUPTI_PARAMS(CUpti_RangeProfiler_Enable, enable);
      enable.ctx = context_;
      WT_CHECK(check(cupti_.cuptiRangeProfilerEnable(&enable), "reserve the hardware counters"));
      profiler_ = enable.pRangeProfilerObject;
      config_ = std::move(config);
    }
    if (ranges <= capacity_) return reset(counter_data_);
    WT_TRY(auto data, make_counter_data(ranges));
    WT_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig, set);
    set.pRangeProfilerObject = profiler_;
    set.configSize = config_.image.size();
    set.pConfig = config_.image.data();
    set.counterDataImageSize = data.size();
    set.pCounterDataImage = data.data();
    set.range = CUPTI_UserRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = ranges;
    set.numNestingLevels = set.minNestingLevel = set.targetNestingLevel = 1;
    WT_CHECK(check(cupti_.cuptiRangeProfilerSetConfig(&set), "select the counters"));
    counter_data_.swap(data);
    capacity_ = ranges;
    return {};
  }

  Result<std::vector<std::uint8_t>> make_counter_data(std::size_t ranges) const {
    std::vector<const char*> names;
    for (const std::string& metric : config_.metrics) names.push_back(metric.c_str());
    WT_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize, size);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    WT_CHECK(check(cupti_.cuptiRangeProfilerGetCounterDataSize(&size), "allocate memory for the counts"));
    std::vector<std::uint8_t> data(size.counterDataSize);
    WT_CHECK(reset(data));
    return data;
  }

  Result<void> reset(std::vector<std::uint8_t>& data) const {
    WT_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize, params);
    params.pRangeProfilerObject = profiler_;
    params.counterDataSize = data.size();
    params.pCounterData = data.data();
    return check(cupti_.cuptiRangeProfilerCounterDataImageInitialize(&params), "allocate memory for the counts");
  }

  Result<std::vector<CounterValues>> batch(std::span<const ProfiledWork> works, const std::vector<std::string>& metrics,
                                           bool cold_l2, CUstream stream) {
    failed_work_ = 0;
    WT_CHECK(configure(metrics, works.size()));
    for (int pass = 0; pass < config_.passes; ++pass) WT_CHECK(run_pass(works, cold_l2, stream));
    WT_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData, decode);
    decode.pRangeProfilerObject = profiler_;
    WT_CHECK(check(cupti_.cuptiRangeProfilerDecodeData(&decode), "decode the counts"));
    return values(works.size());
  }

  Result<void> run_pass(std::span<const ProfiledWork> works, bool cold_l2, CUstream stream) {
    WT_CUPTI_PARAMS(CUpti_RangeProfiler_Start, start);
    start.pRangeProfilerObject = profiler_;
    WT_CHECK(check(cupti_.cuptiRangeProfilerStart(&start), "start counting"));
    for (std::size_t i = 0; i < works.size(); ++i)
      if (auto ok = run_range(works[i], i, cold_l2, stream); !ok) {
        failed_work_ = i;
        return ok;
      }
    WT_CUPTI_PARAMS(CUpti_RangeProfiler_Stop, stop);
    stop.pRangeProfilerObject = profiler_;
    return check(cupti_.cuptiRangeProfilerStop(&stop), "stop counting");
  }

  Result<void> run_range(const ProfiledWork& work, std::size_t number, bool cold_l2, CUstream stream) {
    CUresult status = work.prepare ? work.prepare(stream) : CUDA_SUCCESS;
    if (status == CUDA_SUCCESS && cold_l2) status = flush_.enqueue(stream, 0);
    WT_CHECK(finish(status, stream, "before it was counted"));
    const std::string name = fmt::format("{:04}", number);
    WT_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange, push);
    push.pRangeProfilerObject = profiler_;
    push.pRangeName = name.c_str();
    WT_CHECK(check(cupti_.cuptiRangeProfilerPushRange(&push), "begin to count a kernel"));
    WT_CHECK(finish(work.run(stream), stream, "while it was counted"));
    WT_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange, pop);
    pop.pRangeProfilerObject = profiler_;
    return check(cupti_.cuptiRangeProfilerPopRange(&pop), "count a kernel");
  }

  // Waits for the enqueued work, at most until the deadline.
  Result<void> finish(CUresult status, CUstream stream, const char* when) {
    if (status == CUDA_SUCCESS) status = driver_.cuEventRecord(done_.get(), stream);
    if (status == CUDA_SUCCESS) status = wait_for_event(driver_, done_.get(), deadline_s);
    if (status == CUDA_SUCCESS) return {};
    run_status_ = status;
    return fail(ErrorKind::internal, fmt::format("a kernel failed {}: {}", when, cuda_error_text(driver_, status)));
  }

  Result<std::vector<CounterValues>> values(std::size_t count) const {
    WT_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo, info);
    info.pCounterDataImage = counter_data_.data();
    info.counterDataImageSize = counter_data_.size();
    WT_CHECK(check(cupti_.cuptiRangeProfilerGetCounterDataInfo(&info), "read the counts"));
    if (info.numTotalRanges != count)
      return fail(ErrorKind::internal,
                  fmt::format("CUPTI counted {} of {} kernels; please report this", info.numTotalRanges, count));
    std::vector<CounterValues> all(count);
    for (std::size_t range = 0; range < count; ++range) { // ranges are in the order of their names
      WT_TRY(auto numbers, catalog_.evaluate(config_, counter_data_, range));
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (std::isfinite(numbers[i])) all[range].emplace(config_.metrics[i], numbers[i]);
    }
    return all;
  }

  const Driver& driver_;
  const CuptiLibrary& cupti_;
  CUcontext context_;
  MetricCatalog catalog_;
  L2Flush flush_;
  Event done_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  MetricConfig config_;
  std::vector<std::uint8_t> counter_data_;
  std::size_t capacity_ = 0; // ranges that counter_data_ has room for
  bool abandoned_ = false;   // work still runs, and Disable would wait for it
};

Result<std::vector<std::uint8_t>> counter_availability(const CuptiLibrary& cupti, CUcontext context) {
  std::vector<std::uint8_t> image;
  WT_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability, params);
  params.ctx = context;
  CUptiResult status = cupti.cuptiProfilerGetCounterAvailability(&params);
  if (status == CUPTI_SUCCESS) {
    image.resize(params.counterAvailabilityImageSize);
    params.pCounterAvailabilityImage = image.data();
    status = cupti.cuptiProfilerGetCounterAvailability(&params);
  }
  if (status != CUPTI_SUCCESS) return fail(ErrorKind::no_device, cupti_refusal(cupti, status));
  return image;
}

} // namespace

Result<std::unique_ptr<CounterSource>> make_cupti_counters(const Driver& driver, const CubinProvider& provider,
                                                           const DeviceLimits& limits) {
  WT_TRY(auto library, load_cupti());
  const CuptiLibrary& cupti = *library;
  CUcontext context = nullptr;
  CUdevice device = 0;
  CUresult found = driver.cuCtxGetCurrent(&context);
  if (found == CUDA_SUCCESS) found = driver.cuCtxGetDevice(&device);
  WT_CHECK(check_cuda(driver, found, "cannot find the device whose counters are read"));
  WT_CUPTI_PARAMS(CUpti_Profiler_Initialize, initialize);
  if (const auto status = cupti.cuptiProfilerInitialize(&initialize); status != CUPTI_SUCCESS)
    return fail(ErrorKind::no_device, cupti_refusal(cupti, status));
  if (std::string why = cupti_unsupported(cupti, device, CUPTI_PROFILER_RANGE_PROFILING); !why.empty())
    return fail(ErrorKind::no_device, std::move(why));
  WT_CUPTI_PARAMS(CUpti_Device_GetChipName, chip);
  chip.deviceIndex = static_cast<std::size_t>(device);
  if (const auto status = cupti.cuptiDeviceGetChipName(&chip); status != CUPTI_SUCCESS)
    return fail(ErrorKind::no_device, cupti_refusal(cupti, status));
  WT_TRY(auto availability, counter_availability(cupti, context));
  WT_TRY(auto catalog, MetricCatalog::open(chip.pChipName, std::move(availability)));
  WT_TRY(auto flush, L2Flush::make(driver, provider, limits));
  WT_TRY(auto done, make_event(driver));
  return std::make_unique<CuptiCounters>(driver, cupti, context, std::move(catalog), std::move(flush), std::move(done));
}

std::unique_ptr<CounterSource> make_counter_source(const Driver& driver, const CubinProvider& provider,
                                                   const DeviceLimits& limits) {
  auto source = make_cupti_counters(driver, provider, limits);
  return source ? std::move(*source) : make_null_counters(source.error().message);
}

} // namespace warptune
