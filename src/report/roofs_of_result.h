// Finds the roofs that were valid when a stored result was measured, and the time of the measurement. Pure.
#pragma once

#include "core/device.h"
#include "db/records.h"
#include "plan/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::report {

struct ResultRoofs {
  Roofs roofs;
  bool certain = false; // whether all roofs that fit the result were measured at the same time
};

// Roofs are measured again from time to time, but a result is judged by the roofs of its session. Returns the newest
// roofs in `stored` that give the result's stored share of the roof; nullopt: there are none. `stored`: newest first.
std::optional<ResultRoofs> roofs_of_result(const std::vector<Roofs>& stored, const BestRecord& best,
                                           const CostEstimate& cost);

// Returns when the session's times were measured; for a replayed session, when its recording was made. Empty if the
// database does not have this time. `roofs`: the roofs of the session's result, if it has one.
std::string measured_at(const SessionRecord& session, const TrialTimes& trials,
                        const std::optional<ResultRoofs>& roofs);

} // namespace warptune::report
