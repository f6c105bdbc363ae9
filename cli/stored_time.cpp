#include "cli/stored_time.h"

#include "cli/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warptune::cli {

std::optional<BestRecord> stored_time_of(const std::vector<BestRecord>& results, RowId id) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const BestRecord& b) { return b.id == id; });
  if (found == results.end() || !found->cold_l2 || !(found->ci_low_us > 0) || found->ci_high_us < found->ci_low_us)
    return std::nullopt;
  return *found;
}

std::string_view place_in_interval(double median_us, const BestRecord& stored) {
  return median_us < stored.ci_low_us ? "below" : median_us > stored.ci_high_us ? "above" : "inside";
}

std::string beside_stored_text(double median_us, const BestRecord& stored) {
  const std::string_view place = place_in_interval(median_us, stored);
  const double edge = place == "below" ? stored.ci_low_us : stored.ci_high_us;
  const std::string how = place == "inside"
                              ? "inside this interval"
                              : fmt::format("{:.2g} % {} this interval", std::abs(median_us / edge - 1) * 100, place);
  return fmt::format("{}, interval {} to {}: this run is {}", time_text(stored.median_us), time_text(stored.ci_low_us),
                     time_text(stored.ci_high_us), how);
}

} // namespace warptune::cli
