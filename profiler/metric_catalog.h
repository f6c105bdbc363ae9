// The metrics of one chip, from the host part of CUPTI: names, meanings, and the number of passes for a set. Needs the
// library but no GPU or driver; does not depend on kernels.
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
  std::string name; // "dram__bytes_read": without a rollup
  std::string kind; // "counter", "ratio" or "throughput"
  std::string unit, description;
};

// The device configuration for counting a list of metrics.
struct MetricConfig {
  std::vector<std::string> metrics;
  std::vector<std::uint8_t> image;
  int passes = 0;
};

class MetricCatalog {
 public:
  // `chip`: "GH100", in any letter case. `availability`: the counters that the current device offers, if there is a
  // device. Errors: no_device without the library; bad_input for an unknown chip (with the nearest names).
  static Result<MetricCatalog> open(const std::string& chip, std::vector<std::uint8_t> availability = {});
  MetricCatalog(MetricCatalog&&) noexcept;
  MetricCatalog& operator=(MetricCatalog&&) noexcept;
  ~MetricCatalog();

  const std::string& chip() const;
  const std::vector<BaseMetric>& metrics() const; // all metrics of the chip, by kind, then in CUPTI's order
  std::vector<std::string> rollups(const std::string& base) const; // ".sum", ".avg.pct_of_peak_sustained_active", ...
  bool has(const std::string& metric) const;                       // a full name, with its rollup

  // Checks one full name. For an unknown metric, the error lists the nearest ones.
  Result<void> check(const std::string& metric) const;
  // Makes the configuration for these full names, each of which it checks.
  Result<MetricConfig> configure(const std::vector<std::string>& metrics) const;
  // Returns the values of one range of a decoded counter-data image; NaN for a metric without a value.
  Result<std::vector<double>> evaluate(const MetricConfig& config, const std::vector<std::uint8_t>& counter_data,
                                       std::size_t range) const;

 private:
  struct State;
  explicit MetricCatalog(std::unique_ptr<State> state);
  std::string elsewhere(const std::string& metric) const;
  std::unique_ptr<State> state_;
};

// Expands sets and names (profiler/metric_sets.h) to this chip's metrics. A metric of a set that the chip lacks is
// left out; a single name that it lacks is an error.
Result<std::vector<std::string>> resolve_metrics(const MetricCatalog& catalog, std::string_view list, DType dtype);

// Returns the chip whose metric names apply to this compute capability (90 for 9.0); empty: not known.
std::string chip_of(std::int64_t compute_capability);

// Returns the chips that this version of CUPTI supports.
Result<std::vector<std::string>> metric_chips();

} // namespace warptune
