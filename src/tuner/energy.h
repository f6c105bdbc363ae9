// Measures the energy of the finalists, in rounds like their times, and finds those that no other beats in both time
// and energy. It runs after the timed rounds, so that it does not disturb them. Makes no decisions.
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
  int finalists = 8;     // the number of finalists that continue after the first round
  double timeout_s = 30; // per reading
};

struct EnergyReport {
  std::string unavailable; // a sentence: why energy cannot be measured; empty if it can
  bool stopped = false;
};

// Fills energy_mj and power of each finalist. For the objective `time`, takes one long reading of each finalist;
// otherwise rounds of short readings. After the first round, finalists more than 5 % above the best or not among the
// best `finalists` are dropped; the default always stays. A finalist that crashes is disqualified. Error: the device
// has become unusable.
Result<EnergyReport> measure_energy(DeviceWorker& device, std::vector<Finalist>& finalists,
                                    const EnergyOptions& options, const std::function<void(int done, int total)>& after,
                                    const std::atomic<bool>& stop);

// Returns the finalists that no other beats in both time and energy, from fast to slow. Equal ones are all included.
std::vector<std::size_t> pareto_set(std::span<const Finalist> finalists);

} // namespace warptune
