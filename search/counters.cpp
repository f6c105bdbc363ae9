#include "search/counters.h"

#include "predict/roofline.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

} // namespace

CounterFeatures::CounterFeatures(const KernelSpec& spec, const SearchSpace& space, const CostEstimate& cost,
                                 const DeviceInfo& device, const std::vector<CountedElsewhere>& elsewhere)
    : floor_us_(roofline_point(cost, device.roofs, 0).floor_us) {
  if (!(floor_us_ > 0)) return;
  std::vector<const CountedElsewhere*> sources;
  for (const CountedElsewhere& there : elsewhere) sources.push_back(&there);
  std::stable_sort(sources.begin(), sources.end(),
                   [](const CountedElsewhere* a, const CountedElsewhere* b) { return a->likeness > b->likeness; });
  for (const CountedElsewhere* there : sources)
    for (const auto& [text, demand] : there->counted)
      if (const auto config = parse_config(spec, text))
        if (const auto index = space.find(*config))
          rows_.try_emplace(*index, Row{unit_times(demand, cost, device), demand.warps_active});
}

const std::vector<std::string>& CounterFeatures::names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const char* unit : kUnitNames) names.push_back("counted " + std::string(unit) + " time");
    names.insert(names.end(), {"counted time", "counted occupancy"});
    return names;
  }();
  return all;
}

void CounterFeatures::fill(ConfigIndex index, std::span<double> out) const {
  const auto found = rows_.find(index);
  if (found == rows_.end()) return std::fill(out.begin(), out.end(), kNone);
  const Row& row = found->second;
  const auto over_floor = [this](double us) { return std::log2(1 + us / floor_us_); };
  auto next = std::transform(row.times.us.begin(), row.times.us.end(), out.begin(), over_floor);
  *next++ = over_floor(row.times.slowest_us);
  *next = row.warps_active;
}

} // namespace warptune
