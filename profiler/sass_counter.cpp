#include "profiler/sass_counter.h"

#include "profiler/cupti_refusal.h"
#include "profiler/sass_metrics.h"

#include <atomic>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

namespace warptune {
namespace {

// CUPTI 13.0 counts only once per process: it has no memory for a second configuration, and without one, a second
// Enable patches nothing.
std::atomic<bool> was_configured = false;

} // namespace

struct SassCounter::State {
  State(const Driver& d, const CuptiLibrary& c, CUcontext ctx, CUdevice dev, Event e)
      : driver(d), cupti(c), context(ctx), device(static_cast<std::uint32_t>(dev)), done(std::move(e)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    disable();
    if (!is_configured) return;
    WT_CUPTI_PARAMS(CUpti_SassMetricsUnsetConfig, params);
    params.deviceIndex = device;
    cupti.cuptiSassMetricsUnsetConfig(&params);
  }

  Result<void> configure() {
    WT_CUPTI_PARAMS(CUpti_Device_GetChipName, chip);
    chip.deviceIndex = device;
    WT_CHECK(check_cupti(cupti, cupti.cuptiDeviceGetChipName(&chip), "count executed instructions"));
    WT_TRY(chosen, choose_sass_metrics(cupti, chip.pChipName));
    std::vector<CUpti_SassMetrics_Config> configs;
    for (const auto& [id, member] : chosen.members)
      configs.push_back({id, static_cast<std::uint8_t>(CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU)});
    WT_CUPTI_PARAMS(CUpti_SassMetricsSetConfig, params);
    params.numOfMetricConfig = configs.size();
    params.pConfigs = configs.data();
    params.deviceIndex = device;
    const CUptiResult status = cupti.cuptiSassMetricsSetConfig(&params);
    if (status == CUPTI_ERROR_OUT_OF_MEMORY && was_configured)
      return fail(ErrorKind::no_device, fmt::format("CUPTI {} counts the instructions of only one run in a process; "
                                                    "start a new process for each further run",
                                                    cupti.version));
    WT_CHECK(check_cupti(cupti, status, "select the counts of instructions"));
    was_configured = is_configured = true;
    return {};
  }

  Result<void> enable() {
    WT_CUPTI_PARAMS(CUpti_SassMetricsEnable, params);
    params.ctx = context;
    params.enableLazyPatching = 1; // patches only launched kernels
    WT_CHECK(check_cupti(cupti, cupti.cuptiSassMetricsEnable(&params), "patch the kernel to count its instructions"));
    is_enabled = true;
    return {};
  }

  void disable() {
    if (!is_enabled) return;
    WT_CUPTI_PARAMS(CUpti_SassMetricsDisable, params);
    params.ctx = context;
    cupti.cuptiSassMetricsDisable(&params);
    is_enabled = false;
  }

  Result<void> finish(CUresult status, CUstream stream, double deadline_s) {
    if (status == CUDA_SUCCESS) status = driver.cuEventRecord(done.get(), stream);
    if (status == CUDA_SUCCESS) status = wait_for_event(driver, done.get(), deadline_s);
    run_status = status;
    if (status == CUDA_SUCCESS) return {};
    return fail(ErrorKind::internal, fmt::format("a kernel failed while its instructions were counted: {}",
                                                 cuda_error_text(driver, status)));
  }

  // Reads the data before Disable, which drops it. The function names are not freed: CUPTI owns them.
  Result<PcSamples> read(std::uint32_t checksum) {
    WT_CUPTI_PARAMS(CUpti_SassMetricsGetDataProperties, size);
    size.ctx = context;
    WT_CHECK(check_cupti(cupti, cupti.cuptiSassMetricsGetDataProperties(&size), "read the counts"));
    // The documentation does not say whether instances are those of one metric or of all, so there is room for both.
    const std::size_t values_each = size.numOfInstances * chosen.members.size();
    std::vector<CUpti_SassMetrics_InstanceValue> values(size.numOfPatchedInstructionRecords * values_each);
    std::vector<CUpti_SassMetrics_Data> records(size.numOfPatchedInstructionRecords);
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].structSize = sizeof(CUpti_SassMetrics_Data);
      records[i].pInstanceValues = values.data() + i * values_each;
    }
    if (!records.empty()) {
      WT_CUPTI_PARAMS(CUpti_SassMetricsFlushData, params);
      params.ctx = context;
      params.numOfPatchedInstructionRecords = records.size();
      params.numOfInstances = size.numOfInstances;
      params.pMetricsData = records.data();
      WT_CHECK(check_cupti(cupti, cupti.cuptiSassMetricsFlushData(&params), "read the counts"));
    }
    std::map<std::pair<std::string, std::int64_t>, InstructionCounts> found;
    for (const CUpti_SassMetrics_Data& record : records) {
      if (record.cubinCrc != checksum) continue;
      InstructionCounts& counts = found[{record.functionName == nullptr ? "" : record.functionName, record.pcOffset}];
      for (std::size_t n = 0; n < values_each; ++n) {
        const auto& [id, value] = record.pInstanceValues[n];
        if (const auto member = chosen.members.find(id); member != chosen.members.end())
          counts.*(member->second) += static_cast<std::int64_t>(value);
      }
    }
    PcSamples counted;
    for (const auto& [place, counts] : found) {
      if (counts == InstructionCounts()) continue; // never executed
      InstructionSamples& at = counted.instructions.emplace_back();
      std::tie(at.function, at.offset) = place;
      at.counts = counts;
    }
    return counted;
  }

  const Driver& driver;
  const CuptiLibrary& cupti;
  CUcontext context;
  std::uint32_t device;
  Event done;
  SassMetrics chosen;
  CUresult run_status = CUDA_SUCCESS;
  bool is_configured = false, is_enabled = false;
};

SassCounter::SassCounter(std::unique_ptr<State> state) : state_(std::move(state)) {}
SassCounter::SassCounter(SassCounter&&) noexcept = default;
SassCounter::~SassCounter() {
  if (state_ && run_status() == CUDA_ERROR_NOT_READY) abandon();
}
void SassCounter::abandon() { (void)state_.release(); }
CUresult SassCounter::run_status() const { return state_->run_status; }

Result<SassCounter> SassCounter::open(const Driver& driver) {
  WT_TRY(auto library, load_cupti());
  return open(driver, *library);
}

Result<SassCounter> SassCounter::open(const Driver& driver, const CuptiLibrary& cupti) {
  if (!cupti.has_sass_metrics())
    return fail(ErrorKind::no_device, fmt::format("CUPTI {} has no SASS metrics; install a newer CUDA Toolkit, or name "
                                                  "its library with WARPTUNE_LIBCUPTI",
                                                  cupti.version));
  CUcontext context = nullptr;
  CUdevice device = 0;
  CUresult status = driver.cuCtxGetCurrent(&context);
  if (status == CUDA_SUCCESS) status = driver.cuCtxGetDevice(&device);
  WT_CHECK(check_cuda(driver, status, "cannot find the device whose instructions are counted"));
  WT_CUPTI_PARAMS(CUpti_Profiler_Initialize, initialize);
  WT_CHECK(check_cupti(cupti, cupti.cuptiProfilerInitialize(&initialize), "count executed instructions"));
  if (std::string why = cupti_unsupported(cupti, device, CUPTI_PROFILER_SASS_METRICS); !why.empty())
    return fail(ErrorKind::no_device, std::move(why));
  WT_TRY(auto done, make_event(driver));
  auto state = std::make_unique<State>(driver, cupti, context, device, std::move(done));
  WT_CHECK(state->configure());
  return SassCounter(std::move(state));
}

Result<PcSamples> SassCounter::count(const ProfiledWork& work, std::string_view cubin, CUstream stream) {
  State& state = *state_;
  WT_TRY(const auto checksum, cubin_checksum(state.cupti, cubin, "identify the counted cubin"));
  // While CUPTI patches, only the work itself is launched, and nothing else is still running.
  WT_CHECK(state.finish(work.prepare ? work.prepare(stream) : CUDA_SUCCESS, stream, deadline_s));
  WT_CHECK(state.enable());
  WT_CHECK(state.finish(work.run(stream), stream, deadline_s));
  auto counted = state.read(static_cast<std::uint32_t>(checksum));
  state.disable();
  WT_CHECK(counted);
  if (counted->instructions.empty())
    return fail(ErrorKind::no_device,
                fmt::format("CUPTI {} counted no instruction of this kernel", state.cupti.version));
  counted->source = "CUPTI " + state.cupti.version;
  if (!state.chosen.missing.empty())
    counted->no_counts =
        fmt::format("CUPTI {} has no metrics for {} on this device", state.cupti.version, state.chosen.missing);
  return counted;
}

} // namespace warptune
