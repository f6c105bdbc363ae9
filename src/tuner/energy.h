// Measures the finalists' energy in rounds, like their times, and finds the finalists that no other finalist beats in
// both time and energy. Runs after the timed rounds, so that it does not disturb them. Makes no decisions.
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
  int finalists = 8;     // number of finalists that stay after the first round
  double timeout_s = 30; // per reading
};

struct EnergyReport {
  std::string unavailable; // a sentence: why energy cannot be measured; empty: it can
  bool stopped = false;
};

// Sets energy_mj and power of each finalist. For the objective `time`, takes one long reading per finalist; for other
// objectives, rounds of short readings. After the first round, a finalist stays if it is within 5 % of the best
// finalist and among the best `options.finalists` finalists. The default always stays. A finalist that crashes is
// disqualified. Error: the device can no longer be used.
Result<EnergyReport> measure_energy(DeviceWorker& device, std::vector<Finalist>& finalists,
                                    const EnergyOptions& options, const std::function<void(int done, int total)>& after,
                                    const std::atomic<bool>& stop);

// Returns the finalists that no other beats in both time and energy, fastest first. If several are equal, returns all
// of them.
std::vector<std::size_t> pareto_set(std::span<const Finalist> finalists);

} // namespace warptune
