// The roofs and the time of a stored result: those of its measurement, not those of later measurements on the device.
// Pure.
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
  bool certain = false; // whether no roofs from another time fit the result, so that these are its session's own
};

// Roofs are measured again from time to time, but a result is judged by the roofs of its session. Returns the newest
// of `stored` (newest first) that give the result's stored share; nullopt if none do.
std::optional<ResultRoofs> roofs_of_result(const std::vector<Roofs>& stored, const BestRecord& best,
                                           const CostEstimate& cost);

// Returns when a session's times were measured: of a replayed session, when its recording was made; empty if the
// database does not know this. `roofs`: of the session's result, if it has one.
std::string measured_at(const SessionRecord& session, const TrialTimes& trials,
                        const std::optional<ResultRoofs>& roofs);

} // namespace warptune::report
