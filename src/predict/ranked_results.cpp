#include "predict/ranked_results.h"

#include "predict/transfer_model.h"

#include <algorithm>
#include <cstddef>

namespace warptune {
namespace {

bool is_exact(const TunedEntry& e, const Problem& p, const DeviceInfo& d) {
  return e.device_name == d.name && is_same_but_lists(e.problem, p);
}
bool is_of_device(const TunedEntry& e, const Problem&, const DeviceInfo& d) { return e.device_name == d.name; }
bool is_of_other_device(const TunedEntry& e, const Problem&, const DeviceInfo& d) {
  return e.device_name != d.name && e.arch == d.arch;
}

std::vector<RankedResult> rank(const SelectionLimits& limits,
                               bool (*wanted)(const TunedEntry&, const Problem&, const DeviceInfo&)) {
  const std::vector<TunedEntry>& entries = limits.entries;
  const Problem& problem = limits.problem;
  std::vector<RankedResult> out;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].disqualified.empty() && same_kind(entries[i].problem, problem) &&
        wanted(entries[i], problem, limits.device))
      out.push_back({static_cast<int>(i), shape_distance(entries[i].problem.dims, problem.dims)});
  std::sort(out.begin(), out.end(), [&](const RankedResult& a, const RankedResult& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    const TunedEntry& x = entries[static_cast<std::size_t>(a.entry)];
    const TunedEntry& y = entries[static_cast<std::size_t>(b.entry)];
    if ((x.problem == problem) != (y.problem == problem)) return x.problem == problem; // equal lists first
    if (x.certified != y.certified) return x.certified;
    return x.row_id != y.row_id ? x.row_id > y.row_id : a.entry < b.entry;
  });
  return out;
}

// Times of a library's algorithm on other shapes say little about this shape.
std::optional<std::string> why_not(const SelectionLimits& limits, const TunedEntry& entry) {
  if (!is_same_but_lists(entry.problem, limits.problem) && limits.spec.calls_libraries(entry.config))
    return "a library call serves only the shape that it was tuned for";
  return limits.refuse(entry.config);
}

} // namespace

bool same_kind(const Problem& a, const Problem& b) {
  return a.dtype == b.dtype && a.flags == b.flags && a.dims.size() == b.dims.size();
}

std::vector<RankedResult> results_of_problem(const SelectionLimits& limits) { return rank(limits, is_exact); }
std::vector<RankedResult> results_of_device(const SelectionLimits& limits) { return rank(limits, is_of_device); }
std::vector<RankedResult> results_of_other_devices(const SelectionLimits& limits) {
  return rank(limits, is_of_other_device);
}

std::string SkippedResults::text() const {
  if (count == 0) return {};
  return "; passed over " + std::to_string(count) + (count == 1 ? " nearer result" : " nearer results") +
         " that cannot be launched here (" + first_reason + ")";
}

const RankedResult* first_valid(const SelectionLimits& limits, const std::vector<RankedResult>& ranked,
                                SkippedResults& skipped) {
  for (const RankedResult& result : ranked) {
    const auto reason = why_not(limits, limits.entries[static_cast<std::size_t>(result.entry)]);
    if (!reason) return &result;
    if (skipped.count++ == 0) skipped.first_reason = *reason;
  }
  return nullptr;
}

} // namespace warptune
