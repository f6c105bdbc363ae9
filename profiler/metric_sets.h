// The named sets of metrics: which metrics are counted together, why, and in how many passes. A table; needs no library
// or device. predict/counter_facts.h turns the counted values into facts.
#pragma once

#include "core/dtype.h"
#include "core/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct MetricMeaning {
  std::string metric, meaning;
};

struct MetricSet {
  std::string name, purpose;
  std::vector<MetricMeaning> metrics;
};

// lean, roofline, memory, stalls. `roofline` does not list the tensor-core metric, because it depends on the type.
const std::vector<MetricSet>& metric_sets();
const MetricSet* find_metric_set(std::string_view name);

// What a warp waits for, by stall name: "barrier" -> "for other warps of the block at a barrier".
std::map<std::string, std::string> stall_meanings();

// Returns the metric that counts operations of the tensor cores on inputs of this type; nullopt if they do not support
// the type.
std::optional<MetricMeaning> tensor_metric(DType dtype);

// Returns the metrics of a set for a kernel of this dtype.
std::vector<MetricMeaning> set_metrics(const MetricSet& set, DType dtype);

// If the chip lacks the metric, it is left out if it comes from a set, and an error if it was requested by name.
struct AskedMetric {
  std::string metric;
  bool by_name = false;
};

// "lean,dram__bytes_read.sum": sets and full names, mixed, in order, each metric once. Errors (bad_input): an empty
// list, or a word that is neither (with the nearest set).
Result<std::vector<AskedMetric>> expand_metrics(std::string_view list, DType dtype);

} // namespace warptune
