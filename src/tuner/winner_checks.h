// The last check of a winner: whether it is also correct on other inputs and on ragged shapes. Only verifies; times
// nothing.
#pragma once

#include "worker/device_worker.h"

#include <string>

namespace warptune {

// One of these two texts is added to a winner's outcome if WinnerChecks::other_sources is true. `warptune record`
// searches for these texts.
inline constexpr const char* kByOtherSources = "the times were recorded with other sources of the kernel";
inline constexpr const char* kByUnknownSources = "the recording of the times does not name the sources of the kernel";
inline constexpr const char* kByOtherSourcesBefore = "by times recorded of other sources"; // written by older versions

struct WinnerChecks {
  TrialStatus status = TrialStatus::ok; // if not ok, the winner is disqualified, and `evidence` says why
  std::string evidence;
  std::string summary; // a sentence: which checks passed, or why there were none
  // Whether the times were recorded with other or unknown sources, so that they prove nothing about the present
  // sources.
  bool other_sources = false;
  bool unknown_sources = false; // whether the recording does not name its sources; then other_sources is true too
};

// Checks inputs from two more seeds, and each shape of the suite "ragged" for which the configuration is valid. Without
// such a shape, checks a shape slightly smaller than the tuned shape. Configurations that only call a library are not
// checked on other shapes.
Result<WinnerChecks> check_winner(DeviceWorker& device, const ProblemSetup& setup, const DeviceInfo& info,
                                  const Config& config);

} // namespace warptune
