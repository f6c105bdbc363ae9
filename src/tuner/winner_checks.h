// The last look at a winner: is it also correct with other data and on ragged shapes? Verification only, no timing.
#pragma once

#include "worker/device_worker.h"

#include <string>

namespace warptune {

// In the outcome of a winner whose times are those: `record` finds it there.
inline constexpr const char* kByOtherSources = "by times recorded of other sources than the kernel has now";

struct WinnerChecks {
  TrialStatus status = TrialStatus::ok; // not ok: disqualified, with the evidence
  std::string evidence;
  std::string summary;        // a sentence: what passed, or why nothing could be checked
  bool other_sources = false; // the times were recorded of other sources than the kernel has now: they certify nothing
};

// Two seeds besides the session's, and each shape of the suite "ragged" on which the configuration is valid; where
// none is, a shape a little smaller than the tuned one.
Result<WinnerChecks> check_winner(DeviceWorker& device, const ProblemSetup& setup, const DeviceInfo& info,
                                  const Config& config);

} // namespace warptune
