// The last check of a winner: whether it is also correct on other data and ragged shapes. Only verifies; times nothing.
#pragma once

#include "worker/device_worker.h"

#include <string>

namespace warptune {

// Added to the outcome of a winner if WinnerChecks::other_sources is true; `warptune record` searches for them.
inline constexpr const char* kByOtherSources = "the times were recorded with other sources of the kernel";
inline constexpr const char* kByUnknownSources = "the recording of the times does not name the sources of the kernel";
inline constexpr const char* kByOtherSourcesBefore = "by times recorded of other sources"; // older versions stored this

struct WinnerChecks {
  TrialStatus status = TrialStatus::ok; // not ok: disqualified; see `evidence`
  std::string evidence;
  std::string summary; // a sentence: which checks passed, or why there were no checks
  // Whether the times were recorded from other or unknown sources, and so certify nothing about the current ones.
  bool other_sources = false;
  bool unknown_sources = false; // whether the recording does not name them; then other_sources is true
};

// Checks two more seeds, and each shape of the suite "ragged" on which the configuration is valid. If there is no such
// shape, checks a shape slightly smaller than the tuned shape.
Result<WinnerChecks> check_winner(DeviceWorker& device, const ProblemSetup& setup, const DeviceInfo& info,
                                  const Config& config);

} // namespace warptune
