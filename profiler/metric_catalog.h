// The metrics of one chip, as CUPTI's host half knows them: names, meanings, how many passes a set takes. Needs the
// library but no GPU and no driver; knows nothing of kernels.
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

// What the device needs to count a list of metrics.
struct MetricConfig {
  std::vector<std::string> metrics;
  std::vector<std::uint8_t> image;
  int passes = 0;
};

class MetricCatalog {
 public:
  // `chip`: "GH100", in any letter case. `availability`: what the device at hand offers, where there is one. Errors:
  // no_device without the library, bad_input for a chip it does not know (with the nearest names).
  static Result<MetricCatalog> open(const std::string& chip, std::vector<std::uint8_t> availability = {});
  MetricCatalog(MetricCatalog&&) noexcept;
  MetricCatalog& operator=(MetricCatalog&&) noexcept;
  ~MetricCatalog();

  const std::string& chip() const;
  const std::vector<BaseMetric>& metrics() const; // all of the chip, by kind and then as CUPTI lists them
  std::vector<std::string> rollups(const std::string& base) const; // ".sum", ".avg.pct_of_peak_sustained_active", ...
  bool has(const std::string& metric) const;                       // a full name, with its rollup

  // Of one full name; a sentence with the nearest names where there is no such metric here.
  Result<void> check(const std::string& metric) const;
  // Full names, each checked.
  Result<MetricConfig> configure(const std::vector<std::string>& metrics) const;
  // Of one range of a decoded counter-data image; a metric without a value is NaN.
  Result<std::vector<double>> evaluate(const MetricConfig& config, const std::vector<std::uint8_t>& counter_data,
                                       std::size_t range) const;

 private:
  struct State;
  explicit MetricCatalog(std::unique_ptr<State> state);
  std::string elsewhere(const std::string& metric) const;
  std::unique_ptr<State> state_;
};

// Sets and names (profiler/metric_sets.h) as metrics of this chip: what a set has and the chip lacks is left out, a
// name that it lacks is an error.
Result<std::vector<std::string>> resolve_metrics(const MetricCatalog& catalog, std::string_view list, DType dtype);

// The chip by whose names a device of this compute capability (90 for 9.0) counts; empty: not known.
std::string chip_of(std::int64_t compute_capability);

// The chips that this version of CUPTI knows.
Result<std::vector<std::string>> metric_chips();

} // namespace warptune
