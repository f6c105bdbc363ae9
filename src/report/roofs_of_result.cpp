#include "report/roofs_of_result.h"

#include "core/device.h"
#include "predict/roofline.h"

#include <cmath>

namespace warptune::report {

std::optional<ResultRoofs> roofs_of_result(const std::vector<Roofs>& stored, const BestRecord& best,
                                           const CostEstimate& cost) {
  constexpr double kRounding = 1e-9;
  if (!(best.roofline_share > 0)) return std::nullopt;
  std::optional<ResultRoofs> found;
  for (const Roofs& roofs : stored) {
    const RooflinePoint point = roofline_point(cost, roofs, best.median_us);
    if (point.bound != best.bound || std::abs(point.share - best.roofline_share) > kRounding * best.roofline_share)
      continue;
    if (!found)
      found = ResultRoofs{roofs, true};
    else if (roofs.measured_at != found->roofs.measured_at)
      found->certain = false;
  }
  return found;
}

std::string measured_at(const SessionRecord& session, const TrialTimes& trials,
                        const std::optional<ResultRoofs>& roofs) {
  if (!is_recorded_device(session.identity.device_backend)) return session.started_at;
  // A recording is older than its replay. Older versions stored the time of the replay with the trials.
  const auto is_older = [&](const std::string& time) { return !time.empty() && time < session.started_at; };
  if (is_older(trials.first)) return trials.first == trials.last ? trials.first : std::string();
  // A recording carries its roofs, which are as old as its times.
  return roofs && roofs->certain && is_older(roofs->roofs.measured_at) ? roofs->roofs.measured_at : std::string();
}

} // namespace warptune::report
