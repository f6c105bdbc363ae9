// Progress: the data of a running session that a live display shows.
#pragma once

#include "core/trial.h"

#include <cstdint>
#include <map>
#include <string>

namespace warptune {

// The session's thread passes it to a callback, after each trial and when the phase changes.
struct Progress {
  // "compiling and measuring", "replaying", "certifying", "measuring energy", "checking the winner", "counting"
  std::string phase;
  std::int64_t done = 0, total = 0, reused = 0;
  const Trial* last = nullptr;
  double best_us = 0, best_share = 0; // best_share: the best configuration's share of the roofline
  std::map<TrialStatus, std::int64_t> by_status;
  double elapsed_s = 0, eta_s = 0; // eta 0: not known
};

} // namespace warptune
