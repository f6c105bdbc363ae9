#include "profiler/metric_catalog.h"

#include "core/text.h"
#include "profiler/cupti_library.h"
#include "profiler/metric_sets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <limits>

namespace warptune {
namespace {

constexpr const char* kKinds[] = {"counter", "ratio", "throughput"};

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> out;
  for (const std::string& name : names) out.push_back(name.c_str());
  return out;
}

// One of CUPTI's host objects. Metrics added for a config image stay in it, so each image is made with its own.
class HostObject {
 public:
  HostObject(const CuptiLibrary& cupti, const std::string& chip, const std::vector<std::uint8_t>& availability)
      : cupti_(cupti) {
    WT_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize, params);
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip.c_str();
    params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    status_ = cupti.cuptiProfilerHostInitialize(&params);
    if (status_ == CUPTI_SUCCESS) object_ = params.pHostObject;
  }
  HostObject(const HostObject&) = delete;
  HostObject& operator=(const HostObject&) = delete;
  ~HostObject() {
    if (object_ == nullptr) return;
    WT_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize, params);
    params.pHostObject = object_;
    cupti_.cuptiProfilerHostDeinitialize(&params);
  }
  CUpti_Profiler_Host_Object* get() const { return object_; }
  CUptiResult status() const { return status_; }

 private:
  const CuptiLibrary& cupti_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
  CUptiResult status_ = CUPTI_SUCCESS;
};

std::vector<BaseMetric> list_metrics(const CuptiLibrary& cupti, CUpti_Profiler_Host_Object* host) {
  std::vector<BaseMetric> metrics;
  for (int kind = 0; kind < CUPTI_METRIC_TYPE__COUNT; ++kind) {
    WT_CUPTI_PARAMS(CUpti_Profiler_Host_GetBaseMetrics, params);
    params.pHostObject = host;
    params.metricType = static_cast<CUpti_MetricType>(kind);
    if (cupti.cuptiProfilerHostGetBaseMetrics(&params) != CUPTI_SUCCESS) continue;
    for (std::size_t i = 0; i < params.numMetrics; ++i)
      metrics.push_back({params.ppMetricNames[i], kKinds[kind], {}, {}});
  }
  for (BaseMetric& metric : metrics) {
    WT_CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties, params);
    params.pHostObject = host;
    params.pMetricName = metric.name.c_str();
    if (cupti.cuptiProfilerHostGetMetricProperties(&params) != CUPTI_SUCCESS) continue;
    metric.unit = text_or_empty(params.pDimUnit);
    metric.description = text_or_empty(params.pDescription);
  }
  return metrics;
}

// "name.sum" -> "name" and ".sum". Some base names contain dots, so dots are tried from the right.
struct SplitName {
  std::string base, rollup;
};
std::vector<SplitName> splits(const std::string& metric) {
  std::vector<SplitName> all;
  for (std::size_t dot = metric.find('.'); dot != std::string::npos; dot = metric.find('.', dot + 1))
    all.push_back({metric.substr(0, dot), metric.substr(dot)});
  std::reverse(all.begin(), all.end());
  return all;
}

bool is_full_name(const CuptiLibrary& cupti, CUpti_Profiler_Host_Object* host, const std::string& name);

// The rollups of a base. CUPTI lists some of a full name as well ("name.sum"), but refuses to count "name.sum.sum".
std::vector<std::string> list_rollups(const CuptiLibrary& cupti, CUpti_Profiler_Host_Object* host,
                                      const std::string& base) {
  if (is_full_name(cupti, host, base)) return {};
  for (int kind = 0; kind < CUPTI_METRIC_TYPE__COUNT; ++kind) {
    WT_CUPTI_PARAMS(CUpti_Profiler_Host_GetSubMetrics, params);
    params.pHostObject = host;
    params.metricType = static_cast<CUpti_MetricType>(kind);
    params.pMetricName = base.c_str();
    if (cupti.cuptiProfilerHostGetSubMetrics(&params) != CUPTI_SUCCESS) continue;
    return {params.ppSubMetrics, params.ppSubMetrics + params.numOfSubmetrics};
  }
  return {};
}

bool is_full_name(const CuptiLibrary& cupti, CUpti_Profiler_Host_Object* host, const std::string& name) {
  for (const SplitName& split : splits(name)) {
    const auto known = list_rollups(cupti, host, split.base);
    if (std::find(known.begin(), known.end(), split.rollup) != known.end()) return true;
  }
  return false;
}

// The usual meaning of a base: the sum of a counter, the percentage of a ratio or of a throughput.
std::string usual_rollup(const std::vector<std::string>& rollups) {
  for (const char* usual : {".sum", ".pct", ".avg.pct_of_peak_sustained_elapsed"})
    if (std::find(rollups.begin(), rollups.end(), usual) != rollups.end()) return usual;
  return rollups.empty() ? "" : rollups.front();
}

std::string short_list(const std::vector<std::string>& rollups) {
  constexpr std::size_t kWords = 5; // prefers rollups of one word: .avg .max .min .sum
  std::vector<std::string> words;
  for (const std::string& rollup : rollups)
    if (rollup.find('.', 1) == std::string::npos) words.push_back(rollup);
  if (words.size() > kWords) words.resize(kWords);
  return fmt::format("{}", fmt::join(words.empty() ? rollups : words, " "));
}

} // namespace

struct MetricCatalog::State {
  State(const CuptiLibrary& library, std::string name, std::vector<std::uint8_t> image)
      : cupti(library), chip(std::move(name)), availability(std::move(image)), host(library, chip, availability) {}
  const CuptiLibrary& cupti;
  std::string chip;
  std::vector<std::uint8_t> availability;
  HostObject host;
  std::vector<BaseMetric> metrics;
};

MetricCatalog::MetricCatalog(std::unique_ptr<State> state) : state_(std::move(state)) {}
MetricCatalog::MetricCatalog(MetricCatalog&&) noexcept = default;
MetricCatalog& MetricCatalog::operator=(MetricCatalog&&) noexcept = default;
MetricCatalog::~MetricCatalog() = default;

Result<std::vector<std::string>> metric_chips() {
  WT_TRY(auto cupti, load_cupti());
  WT_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips, params);
  if (const auto status = cupti->cuptiProfilerHostGetSupportedChips(&params); status != CUPTI_SUCCESS)
    return fail(ErrorKind::internal,
                fmt::format("CUPTI {} lists no chips ({}); check that libnvperf_host.so is in the folder of {}",
                            cupti->version, cupti_error_text(*cupti, status), cupti->path));
  return std::vector<std::string>(params.ppChipNames, params.ppChipNames + params.numChips);
}

Result<MetricCatalog> MetricCatalog::open(const std::string& chip, std::vector<std::uint8_t> availability) {
  WT_TRY(auto chips, metric_chips());
  const CuptiLibrary& cupti = **load_cupti();
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  const auto known =
      std::find_if(chips.begin(), chips.end(), [&](const std::string& name) { return lower(name) == lower(chip); });
  // The counter availability of a device suffices for a chip that is newer than the library.
  if (known == chips.end() && availability.empty())
    return fail(ErrorKind::bad_input,
                fmt::format("CUPTI {} has no chip {}{}", cupti.version, quote(chip), suggest_name(chip, chips)));
  auto state = std::make_unique<State>(cupti, known == chips.end() ? chip : *known, std::move(availability));
  if (state->host.get() == nullptr)
    return fail(ErrorKind::no_device, fmt::format("CUPTI {} has no counters for {} ({})", cupti.version, quote(chip),
                                                  cupti_error_text(cupti, state->host.status())));
  state->metrics = list_metrics(cupti, state->host.get());
  return MetricCatalog(std::move(state));
}

const std::string& MetricCatalog::chip() const { return state_->chip; }
const std::vector<BaseMetric>& MetricCatalog::metrics() const { return state_->metrics; }

std::vector<std::string> MetricCatalog::rollups(const std::string& base) const {
  return list_rollups(state_->cupti, state_->host.get(), base);
}

bool MetricCatalog::has(const std::string& metric) const {
  return is_full_name(state_->cupti, state_->host.get(), metric);
}

// "it belongs to AD102"; empty if no other chip has it.
std::string MetricCatalog::elsewhere(const std::string& metric) const {
  auto chips = metric_chips();
  if (!chips) return {};
  std::vector<std::string> found;
  for (const std::string& chip : *chips) {
    const HostObject host(state_->cupti, chip, {});
    if (host.get() == nullptr) continue;
    if (is_full_name(state_->cupti, host.get(), metric)) found.push_back(chip);
  }
  constexpr std::size_t kNamed = 4;
  if (found.empty()) return {};
  std::string text = "it belongs to ";
  for (std::size_t i = 0; i < found.size() && i < kNamed; ++i) text += (i ? ", " : "") + found[i];
  return found.size() > kNamed ? fmt::format("{} and {} more", text, found.size() - kNamed) : text;
}

Result<void> MetricCatalog::check(const std::string& metric) const {
  if (has(metric)) return {};
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::bad_input, fmt::format("{} cannot be counted on {}: {}", quote(metric), chip(), why));
  };
  if (const auto all = rollups(metric); !all.empty())
    return refuse(fmt::format("it is a base metric; add a rollup over the units, such as '{}{}' (known: {})", metric,
                              usual_rollup(all), short_list(all)));
  for (const SplitName& name : splits(metric))
    if (const auto known = rollups(name.base); !known.empty())
      return refuse(fmt::format("{} has no {}{}", name.base, quote(name.rollup), suggest_name(name.rollup, known)));
  if (const std::string others = elsewhere(metric); !others.empty()) return refuse(others);
  std::vector<std::string> bases;
  for (const BaseMetric& base : metrics()) bases.push_back(base.name);
  const auto parts = splits(metric);
  const std::string asked = parts.empty() ? metric : parts.back().base;
  const std::string nearest = nearest_name(asked, bases);
  if (nearest.empty())
    return refuse(
        fmt::format("there is no such metric; `warptune metrics --chip {} --filter TEXT` searches the names", chip()));
  const std::string rollup = parts.empty() ? "" : parts.back().rollup;
  return refuse(fmt::format("there is no such metric; did you mean '{}{}'?", nearest,
                            has(nearest + rollup) ? rollup : usual_rollup(rollups(nearest))));
}

Result<MetricConfig> MetricCatalog::configure(const std::vector<std::string>& metrics) const {
  // CUPTI refuses the whole list for one bad name, without saying which.
  for (const std::string& metric : metrics) WT_CHECK(check(metric));
  MetricConfig config;
  config.metrics = metrics;
  // The order of the metrics changes the number of passes; a sorted list always takes the same number.
  auto sorted = metrics;
  std::sort(sorted.begin(), sorted.end());
  auto names = pointers(sorted);
  const CuptiLibrary& cupti = state_->cupti;
  const HostObject host(cupti, chip(), state_->availability);
  WT_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics, add);
  add.pHostObject = host.get();
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  CUptiResult status = host.get() == nullptr ? host.status() : cupti.cuptiProfilerHostConfigAddMetrics(&add);
  if (status == CUPTI_SUCCESS) {
    WT_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize, size);
    size.pHostObject = host.get();
    status = cupti.cuptiProfilerHostGetConfigImageSize(&size);
    config.image.resize(size.configImageSize);
  }
  if (status == CUPTI_SUCCESS) {
    WT_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage, get);
    get.pHostObject = host.get();
    get.configImageSize = config.image.size();
    get.pConfigImage = config.image.data();
    status = cupti.cuptiProfilerHostGetConfigImage(&get);
  }
  if (status == CUPTI_SUCCESS) {
    WT_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses, count);
    count.configImageSize = config.image.size();
    count.pConfigImage = config.image.data();
    status = cupti.cuptiProfilerHostGetNumOfPasses(&count);
    config.passes = static_cast<int>(count.numOfPasses);
  }
  if (status != CUPTI_SUCCESS)
    return fail(ErrorKind::internal,
                fmt::format("CUPTI cannot count these {} metrics together on {}: {}; request fewer metrics",
                            metrics.size(), chip(), cupti_error_text(cupti, status)));
  return config;
}

Result<std::vector<double>> MetricCatalog::evaluate(const MetricConfig& config,
                                                    const std::vector<std::uint8_t>& counter_data,
                                                    std::size_t range) const {
  auto names = pointers(config.metrics);
  std::vector<double> values(names.size(), std::numeric_limits<double>::quiet_NaN());
  WT_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues, params);
  params.pHostObject = state_->host.get();
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = range;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  if (const auto status = state_->cupti.cuptiProfilerHostEvaluateToGpuValues(&params); status != CUPTI_SUCCESS)
    return fail(ErrorKind::internal,
                fmt::format("CUPTI cannot evaluate the counted values: {}", cupti_error_text(state_->cupti, status)));
  return values;
}

std::string chip_of(std::int64_t compute_capability) {
  // One chip per compute capability: the chips of a family share nearly all metric names.
  constexpr std::array<std::pair<int, const char*>, 10> kChips = {{{70, "GV100"},
                                                                   {75, "TU102"},
                                                                   {80, "GA100"},
                                                                   {86, "GA102"},
                                                                   {87, "GA10B"},
                                                                   {89, "AD102"},
                                                                   {90, "GH100"},
                                                                   {100, "GB100"},
                                                                   {103, "GB110"},
                                                                   {120, "GB202"}}};
  for (const auto& [capability, chip] : kChips)
    if (capability == compute_capability) return chip;
  return {};
}

Result<std::vector<std::string>> resolve_metrics(const MetricCatalog& catalog, std::string_view list, DType dtype) {
  WT_TRY(auto asked, expand_metrics(list, dtype));
  std::vector<std::string> metrics;
  for (const AskedMetric& one : asked) {
    if (one.by_name) {
      WT_CHECK(catalog.check(one.metric));
    } else if (!catalog.has(one.metric)) {
      continue;
    }
    metrics.push_back(one.metric);
  }
  if (metrics.empty())
    return fail(ErrorKind::bad_input, fmt::format("{} has none of the metrics of {}; name metrics of this chip "
                                                  "(`warptune metrics --chip {} --filter TEXT` lists them)",
                                                  catalog.chip(), quote(list), catalog.chip()));
  return metrics;
}

} // namespace warptune
