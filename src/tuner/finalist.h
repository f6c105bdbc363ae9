// Finalist: a configuration in the finals, with its results.
#pragma once

#include "worker/backend.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune {

struct Finalist {
  ConfigIndex index = -1;
  Config config;
  Compiled compiled;
  bool is_default = false;
  double explored_us = 0;               // the median time from the exploration
  std::vector<float> samples_us;        // one per counted round
  TrialStatus status = TrialStatus::ok; // not ok: disqualified; see `evidence`
  std::string evidence;
  std::int64_t shared_bytes = 0, threads = 0; // dynamic shared memory and threads per block of the largest launch
  bool settled = false;                   // whether it is proven slower than another, so that it runs no more rounds
  std::vector<float> energy_mj = {};      // energy per launch, one value per reading (tuner/energy.h)
  std::optional<PowerReading> power = {}; // the readings combined
  std::string calls = {};                 // library calls: "driver.fill, driver.copy"
  // The samples, corrected to the device's state in the median round (tuner/paired_rounds.h). Empty: no reference ran
  // between the finalists, so the samples are used as they are.
  std::vector<float> level_us = {};

  bool is_running() const { return status == TrialStatus::ok && !settled; }
  // Returns the samples with which finalists are compared.
  const std::vector<float>& compared_us() const { return level_us.empty() ? samples_us : level_us; }
};

// Returns the median of compared_us(); before the first round, the median from the exploration.
double compared_median_us(const Finalist& finalist);
// Returns the median of samples_us.
double measured_median_us(const Finalist& finalist);

} // namespace warptune
