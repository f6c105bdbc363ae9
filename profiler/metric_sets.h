// The named sets of metrics: which metrics are counted together, and why. A table that needs no library and no device.
// predict/counter_facts.h converts the counted values to facts.
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

// The sets lean, roofline, memory and stalls. `roofline` is listed without its tensor-core metric, which depends on the
// dtype.
const std::vector<MetricSet>& metric_sets();
const MetricSet* find_metric_set(std::string_view name);

// Returns what a warp waits for, by the name of the stall: "barrier" -> "for other warps of the block at a barrier".
std::map<std::string, std::string> stall_meanings();

// Returns the metric that counts tensor-core operations on inputs of this type; nullopt if tensor cores do not support
// it.
std::optional<MetricMeaning> tensor_metric(DType dtype);

// Returns the metrics of a set, for a kernel with this dtype.
std::vector<MetricMeaning> set_metrics(const MetricSet& set, DType dtype);

// A requested metric. A metric that the chip lacks is left out if it comes from a set, and is an error if the user
// named it.
struct AskedMetric {
  std::string metric;
  bool by_name = false;
};

// Reads a list such as "lean,dram__bytes_read.sum" of sets and full names of metrics. Keeps the order of the list, and
// drops repeated metrics. Errors (bad_input): the list is empty, or has a word that is neither a set nor a metric (the
// message names the nearest set).
Result<std::vector<AskedMetric>> expand_metrics(std::string_view list, DType dtype);

} // namespace warptune
