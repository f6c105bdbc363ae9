#include "profiler/pc_sampler.h"

#include "profiler/cupti_refusal.h"
#include "profiler/l2_flush.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace warptune {
namespace {

constexpr std::size_t kPcsPerRead = 4096;
constexpr std::size_t kScratchBytes = std::size_t{64} << 20; // about 300,000 instructions; CUPTI's 1 MB holds 5,500
constexpr double kWantedSamples = 100'000;
constexpr int kMaxLaunches = 64;
// On 132 multiprocessors at 1.8 GHz, a period of 2^9 cycles gives 0.5 samples per nanosecond.
constexpr int kMinPeriod = 9, kMaxPeriod = 31;

// Memory in which CUPTI writes samples: the counts of every stall reason, by instruction.
class SampleBuffer {
 public:
  SampleBuffer(std::size_t pcs, std::size_t reasons) : counts_(pcs * reasons), pcs_(pcs) {
    for (std::size_t i = 0; i < pcs; ++i) {
      pcs_[i].size = sizeof(CUpti_PCSamplingPCData);
      pcs_[i].stallReason = counts_.data() + i * reasons;
    }
    data_.size = sizeof(CUpti_PCSamplingData);
    data_.collectNumPcs = pcs;
    data_.pPcData = pcs_.data();
  }
  SampleBuffer(const SampleBuffer&) = delete;
  SampleBuffer& operator=(const SampleBuffer&) = delete;
  CUpti_PCSamplingData& data() { return data_; }

 private:
  std::vector<CUpti_PCSamplingStallReason> counts_;
  std::vector<CUpti_PCSamplingPCData> pcs_;
  CUpti_PCSamplingData data_{};
};

using ReasonTable = std::map<std::uint32_t, StallReason>; // keyed by CUPTI's index

Result<ReasonTable> read_reasons(const CuptiLibrary& cupti, CUcontext context) {
  std::size_t count = 0;
  WT_CUPTI_SAMPLING_PARAMS(CUpti_PCSamplingGetNumStallReasons, number);
  number.ctx = context;
  number.numStallReasons = &count;
  WT_CHECK(check_cupti(cupti, cupti.cuptiPCSamplingGetNumStallReasons(&number), "count the stall reasons"));
  std::vector<char> text(count * CUPTI_STALL_REASON_STRING_SIZE);
  std::vector<char*> names(count);
  std::vector<std::uint32_t> indices(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = text.data() + i * CUPTI_STALL_REASON_STRING_SIZE;
  WT_CUPTI_SAMPLING_PARAMS(CUpti_PCSamplingGetStallReasons, list);
  list.ctx = context;
  list.numStallReasons = count;
  list.stallReasonIndex = indices.data();
  list.stallReasons = names.data();
  WT_CHECK(check_cupti(cupti, cupti.cuptiPCSamplingGetStallReasons(&list), "list the stall reasons"));
  ReasonTable table;
  for (std::size_t i = 0; i < count; ++i)
    table.emplace(indices[i], parse_stall_reason({names[i], ::strnlen(names[i], CUPTI_STALL_REASON_STRING_SIZE)}));
  return table;
}

} // namespace

SamplingPlan sampling_plan(double us, std::int64_t multiprocessors, double sm_clock_mhz) {
  SamplingPlan plan;
  const double cycles = std::max(1.0, us * sm_clock_mhz * static_cast<double>(multiprocessors));
  plan.period_log2 =
      std::clamp(static_cast<int>(std::floor(std::log2(cycles / kWantedSamples))), kMinPeriod, kMaxPeriod);
  plan.launches = static_cast<int>(
      std::clamp(std::ceil(kWantedSamples * std::exp2(plan.period_log2) / cycles), 1.0, double{kMaxLaunches}));
  return plan;
}

StallReason parse_stall_reason(std::string_view cupti_name) {
  constexpr std::string_view kBefore = "issue_stalled_", kAfter = "_not_issued";
  StallReason reason;
  if (const std::size_t at = cupti_name.find(kBefore); at != std::string_view::npos)
    cupti_name.remove_prefix(at + kBefore.size());
  reason.not_issued = cupti_name.ends_with(kAfter);
  if (reason.not_issued) cupti_name.remove_suffix(kAfter.size());
  reason.name = cupti_name;
  return reason;
}

struct PcSampler::State {
  State(const Driver& d, const CuptiLibrary& c, CUcontext ctx, L2Flush f, Event e)
      : driver(d), cupti(c), context(ctx), flush(std::move(f)), done(std::move(e)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (!enabled) return;
    WT_CUPTI_SAMPLING_PARAMS(CUpti_PCSamplingDisable, params);
    params.ctx = context;
    if (cupti.cuptiPCSamplingDisable(&params) != CUPTI_SUCCESS) (void)at_end.release(); // CUPTI may still write to it
  }

  Result<void> enable() {
    WT_CUPTI_SAMPLING_PARAMS(CUpti_PCSamplingEnable, params);
    params.ctx = context;
    WT_CHECK(check_cupti(cupti, cupti.cuptiPCSamplingEnable(&params), "sample instructions"));
    enabled = true;
    WT_TRY(reasons, read_reasons(cupti, context));
    at_end = std::make_unique<SampleBuffer>(kPcsPerRead, reasons.size());
    read = std::make_unique<SampleBuffer>(kPcsPerRead, reasons.size());
    return {};
  }

  Result<void> configure(const SamplingPlan& plan) {
    std::vector<CUpti_PCSamplingConfigurationInfo> attributes(4);
    attributes[0].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL;
    attributes[0].attributeData.enableStartStopControlData.enableStartStopControl = 1;
    attributes[1].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
    attributes[1].attributeData.samplingPeriodData.samplingPeriod = static_cast<std::uint32_t>(plan.period_log2);
    attributes[2].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE;
    attributes[2].attributeData.scratchBufferSizeData.scratchBufferSize = kScratchBytes;
    attributes[3].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
    attributes[3].attributeData.samplingDataBufferData.samplingDataBuffer = &at_end->data();
    WT_CUPTI_SAMPLING_PARAMS(CUpti_PCSamplingConfigurationInfo, params);
    params.ctx = context;
    params.numAttributes = attributes.size();
    params.pPCSamplingConfigurationInfo = attributes.data();
    return check_cupti(cupti, cupti.cuptiPCSamplingSetConfigurationAttribute(&params), "configure the sampling");
  }

  Result<void> launch(const ProfiledWork& work, bool cold_l2, CUstream stream, double deadline_s) {
    CUresult status = work.prepare ? work.prepare(stream) : CUDA_SUCCESS;
    if (status == CUDA_SUCCESS && cold_l2) status = flush.enqueue(stream, 0);
    if (status == CUDA_SUCCESS) status = work.run(stream);
    if (status == CUDA_SUCCESS) status = driver.cuEventRecord(done.get(), stream);
    if (status == CUDA_SUCCESS) status = wait_for_event(driver, done.get(), deadline_s);
    run_status = status;
    if (status == CUDA_SUCCESS) return {};
    return fail(ErrorKind::internal,
                fmt::format("a kernel failed while it was sampled: {}", cuda_error_text(driver, status)));
  }

  Result<void> run(const ProfiledWork& work, const SamplingPlan& plan, bool cold_l2, CUstream stream,
                   double deadline_s) {
    WT_CUPTI_SAMPLING_PARAMS(CUpti_PCSamplingStart, start);
    start.ctx = context;
    WT_CHECK(check_cupti(cupti, cupti.cuptiPCSamplingStart(&start), "start the sampling"));
    Result<void> launched;
    for (int i = 0; i < plan.launches && launched; ++i) launched = launch(work, cold_l2, stream, deadline_s);
    if (run_status == CUDA_ERROR_NOT_READY) return launched;
    WT_CUPTI_SAMPLING_PARAMS(CUpti_PCSamplingStop, stop);
    stop.ctx = context;
    const CUptiResult stopped = cupti.cuptiPCSamplingStop(&stop);
    WT_CHECK(launched);
    return check_cupti(cupti, stopped, "stop the sampling");
  }

  // The function names are not freed: CUPTI owns them, and may return the same one again.
  Result<PcSamples> collect(std::uint64_t checksum) {
    using Place = std::pair<std::string, std::int64_t>;
    std::map<Place, InstructionSamples> found;
    PcSamples samples;
    CUpti_PCSamplingData& data = read->data();
    do {
      WT_CUPTI_SAMPLING_PARAMS(CUpti_PCSamplingGetData, get);
      get.ctx = context;
      get.pcSamplingData = &data;
      const CUptiResult status = cupti.cuptiPCSamplingGetData(&get);
      if (status == CUPTI_ERROR_OUT_OF_MEMORY)
        return fail(ErrorKind::internal, "the sample buffer is full; please report this, and attach the kernel");
      WT_CHECK(check_cupti(cupti, status, "read the samples"));
      samples.dropped = std::max(samples.dropped, static_cast<std::int64_t>(data.droppedSamples));
      for (std::size_t i = 0; i < data.totalNumPcs; ++i) {
        const CUpti_PCSamplingPCData& pc = data.pPcData[i];
        if (pc.cubinCrc != checksum) continue;
        const Place place{pc.functionName == nullptr ? "" : pc.functionName, static_cast<std::int64_t>(pc.pcOffset)};
        InstructionSamples& at = found[place];
        std::tie(at.function, at.offset) = place;
        for (std::size_t n = 0; n < pc.stallReasonCount; ++n) {
          const auto reason = reasons.find(pc.stallReason[n].pcSamplingStallReasonIndex);
          if (reason == reasons.end() || pc.stallReason[n].samples == 0) continue;
          (reason->second.not_issued ? at.not_issued : at.stalls)[reason->second.name] += pc.stallReason[n].samples;
        }
      }
    } while (data.remainingNumPcs > 0 && data.totalNumPcs > 0);
    for (auto& [place, instruction] : found) samples.instructions.push_back(std::move(instruction));
    return samples;
  }

  const Driver& driver;
  const CuptiLibrary& cupti;
  CUcontext context;
  L2Flush flush;
  Event done;
  ReasonTable reasons;
  // CUPTI writes to `at_end` when sampling is disabled, and to `read` in cuptiPCSamplingGetData.
  std::unique_ptr<SampleBuffer> at_end, read;
  CUresult run_status = CUDA_SUCCESS;
  bool enabled = false;
};

PcSampler::PcSampler(std::unique_ptr<State> state) : state_(std::move(state)) {}
PcSampler::PcSampler(PcSampler&&) noexcept = default;
PcSampler::~PcSampler() {
  if (state_ && run_status() == CUDA_ERROR_NOT_READY) abandon();
}
void PcSampler::abandon() { (void)state_.release(); }
CUresult PcSampler::run_status() const { return state_->run_status; }

Result<PcSampler> PcSampler::open(const Driver& driver, const CubinProvider& provider, const DeviceLimits& limits) {
  WT_TRY(auto library, load_cupti());
  return open(driver, *library, provider, limits);
}

Result<PcSampler> PcSampler::open(const Driver& driver, const CuptiLibrary& cupti, const CubinProvider& provider,
                                  const DeviceLimits& limits) {
  CUcontext context = nullptr;
  CUdevice device = 0;
  CUresult status = driver.cuCtxGetCurrent(&context);
  if (status == CUDA_SUCCESS) status = driver.cuCtxGetDevice(&device);
  WT_CHECK(check_cuda(driver, status, "cannot find the device whose instructions are sampled"));
  WT_CUPTI_PARAMS(CUpti_Profiler_Initialize, initialize);
  WT_CHECK(check_cupti(cupti, cupti.cuptiProfilerInitialize(&initialize), "sample instructions"));
  if (std::string why = cupti_unsupported(cupti, device, CUPTI_PROFILER_PC_SAMPLING); !why.empty())
    return fail(ErrorKind::no_device, std::move(why));
  WT_TRY(auto flush, L2Flush::make(driver, provider, limits));
  WT_TRY(auto done, make_event(driver));
  auto state = std::make_unique<State>(driver, cupti, context, std::move(flush), std::move(done));
  WT_CHECK(state->enable());
  return PcSampler(std::move(state));
}

Result<PcSamples> PcSampler::sample(const ProfiledWork& work, std::string_view cubin, const SamplingPlan& plan,
                                    bool cold_l2, CUstream stream) {
  WT_TRY(const auto checksum, cubin_checksum(state_->cupti, cubin, "identify the sampled cubin"));
  WT_CHECK(state_->configure(plan));
  WT_CHECK(state_->run(work, plan, cold_l2, stream, deadline_s));
  WT_TRY(auto samples, state_->collect(checksum));
  samples.source = "CUPTI " + state_->cupti.version;
  samples.launches = plan.launches;
  samples.period_cycles = std::int64_t{1} << plan.period_log2;
  return samples;
}

} // namespace warptune
