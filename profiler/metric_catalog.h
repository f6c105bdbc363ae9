// The metrics of a chip, from the host part of CUPTI: names, meanings, and how many passes a list of them needs. Needs
// the library, but no GPU and no driver. Independent of kernels.
#pragma once

#include "core/dtype.h"
#include "core/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct BaseMetric {
  std::string name; // without a rollup such as ".sum": "dram__bytes_read"
  std::string kind; // "counter", "ratio" or "throughput"
  std::string unit, description;
};

// How the device must be configured to count a list of metrics.
struct MetricConfig {
  std::vector<std::string> metrics;
  std::vector<std::uint8_t> image;
  int passes = 0;
};

class MetricCatalog {
 public:
  // `chip`: such as "GH100", in any letter case. `availability`: which counters the current device offers, if there is
  // a device. Errors: no_device if CUPTI is missing; bad_input for an unknown chip, with the nearest names.
  static Result<MetricCatalog> open(const std::string& chip, std::vector<std::uint8_t> availability = {});
  MetricCatalog(MetricCatalog&&) noexcept;
  MetricCatalog& operator=(MetricCatalog&&) noexcept;
  ~MetricCatalog();

  const std::string& chip() const;
  const std::vector<BaseMetric>& metrics() const; // all metrics of the chip, sorted by kind, then in CUPTI's order
  std::vector<std::string> rollups(const std::string& base) const; // ".sum", ".avg.pct_of_peak_sustained_active", ...
  bool has(const std::string& metric) const;                       // `metric`: with its rollup

  // Checks a metric's name with its rollup. If it is unknown, the error lists the nearest ones.
  Result<void> check(const std::string& metric) const;
  // Makes the configuration for metrics with their rollups, after checking each.
  Result<MetricConfig> configure(const std::vector<std::string>& metrics) const;
  // Returns the value of each metric for one range of a decoded counter-data image; NaN for a metric without a value.
  Result<std::vector<double>> evaluate(const MetricConfig& config, const std::vector<std::uint8_t>& counter_data,
                                       std::size_t range) const;

 private:
  struct State;
  explicit MetricCatalog(std::unique_ptr<State> state);
  std::string elsewhere(const std::string& metric) const;
  std::unique_ptr<State> state_;
};

// Expands a list of metrics and metric sets (profiler/metric_sets.h) to this chip's metrics. A metric that the chip
// lacks is an error if the list names it. If it is from a set, it is left out.
Result<std::vector<std::string>> resolve_metrics(const MetricCatalog& catalog, std::string_view list, DType dtype);

// Returns the chip whose metric names apply to this compute capability (90 for 9.0); empty: not known.
std::string chip_of(std::int64_t compute_capability);

// Returns the chips that this version of CUPTI supports.
Result<std::vector<std::string>> metric_chips();

} // namespace warptune
