// Energy of the finalists, in rounds as their times are, and which of them no other beats in both. After the timed
// rounds, which it leaves undisturbed. Decides nothing.
#pragma once

#include "core/objective.h"
#include "tuner/finals.h"

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace warptune {

struct EnergyOptions {
  Objective objective = Objective::time;
  int finalists = 8;     // that go on after the first round
  double timeout_s = 30; // for one reading
};

struct EnergyReport {
  std::string unavailable; // why no energy is known here, a sentence; empty: it is
  bool stopped = false;
};

// Fills energy_mj and power of each. With the objective time one long reading of each, else rounds of short ones: after
// the first, who is 5 % above the best in the objective or beyond the best `finalists` leaves, but never the default.
// A finalist that dies is out. Error: the device cannot be used any more.
Result<EnergyReport> measure_energy(DeviceWorker& device, std::vector<Finalist>& finalists,
                                    const EnergyOptions& options, const std::function<void(int done, int total)>& after,
                                    const std::atomic<bool>& stop);

// Those that no other beats in both time and energy, from fast to slow. Equals stand together.
std::vector<std::size_t> pareto_set(std::span<const Finalist> finalists);

} // namespace warptune
