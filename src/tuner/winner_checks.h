// The last check of a winner: whether it is also correct on other data and ragged shapes. Only verifies; times nothing.
#pragma once

#include "worker/device_worker.h"

#include <string>

namespace warptune {

// Added to the outcome of a winner if WinnerChecks::other_sources is true; `warptune record` searches for it.
inline constexpr const char* kByOtherSources = "the times were recorded with other sources of the kernel";
inline constexpr const char* kByOtherSourcesBefore = "by times recorded of other sources"; // older versions stored this

struct WinnerChecks {
  TrialStatus status = TrialStatus::ok; // not ok: disqualified; see `evidence`
  std::string evidence;
  std::string summary; // a sentence: which checks passed, or why there were no checks
  bool other_sources =
      false; // whether the times were recorded from other sources than the current ones, and so certify nothing
};

// Checks two more seeds, and each shape of the suite "ragged" on which the configuration is valid. If there is no such
// shape, checks a shape slightly smaller than the tuned shape.
Result<WinnerChecks> check_winner(DeviceWorker& device, const ProblemSetup& setup, const DeviceInfo& info,
                                  const Config& config);

} // namespace warptune
