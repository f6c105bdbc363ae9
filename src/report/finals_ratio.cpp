#include "report/finals_ratio.h"

#include "core/device.h"

#include <fmt/format.h>
#include <vector>

namespace warptune::report {

std::optional<FinalsRatio> ratio_of_finals(const BestRecord& best) {
  if (!(best.default_us > 0) || !(best.median_us > 0)) return std::nullopt;
  std::vector<float> winner, standard;
  for (const FinalRound& round : best.rounds) {
    if (!(round.winner_us > 0) || !(round.default_us > 0)) continue;
    winner.push_back(static_cast<float>(round.winner_us));
    standard.push_back(static_cast<float>(round.default_us));
  }
  if (winner.empty()) return std::nullopt;
  // A replayed round takes its samples from the recording, where they were not measured together.
  return FinalsRatio{
      ratio_of_pairs(standard, winner),
      is_recorded_device(best.device_backend)
          ? fmt::format("in {} rounds of the replayed finals of session {}. The samples of a round come from the "
                        "recording and were "
                        "not interleaved",
                        winner.size(), best.session)
          : fmt::format("interleaved in {} rounds of the finals of session {}", winner.size(), best.session)};
}

} // namespace warptune::report
