#include "db/final_rounds.h"

#include "core/statistics.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace warptune {

ClockRange clocks_of(std::span<const FinalRound> rounds) {
  std::vector<float> clocks;
  for (const FinalRound& round : rounds)
    if (round.device.sm_clock_mhz > 0) clocks.push_back(static_cast<float>(round.device.sm_clock_mhz));
  if (clocks.empty()) return {};
  const auto [low, high] = std::minmax_element(clocks.begin(), clocks.end());
  return {*low, median(clocks), *high};
}

std::string clock_text(const ClockRange& clocks) {
  if (!(clocks.high > 0)) return {};
  return clocks.moves() ? fmt::format("{:.0f} to {:.0f} MHz", clocks.low, clocks.high)
                        : fmt::format("{:.0f} MHz", clocks.high);
}

bool any_at_power_cap(std::span<const FinalRound> rounds) {
  return std::any_of(rounds.begin(), rounds.end(),
                     [](const FinalRound& round) { return is_at_power_cap(round.device.throttle_reasons); });
}

} // namespace warptune
