// Finalist: a configuration that takes part in the finals, with its results there.
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
  double explored_us = 0;               // median time from the search
  std::vector<float> samples_us;        // one sample per counted round
  TrialStatus status = TrialStatus::ok; // if not ok, it is disqualified, and `evidence` says why
  std::string evidence;
  std::int64_t shared_bytes = 0, threads = 0; // of the largest launch: dynamic shared memory and threads per block
  bool settled = false; // whether it is proven slower than another finalist, and takes part in no more rounds
  std::vector<float> energy_mj = {};      // energy per launch, one value per reading (tuner/energy.h)
  std::optional<PowerReading> power = {}; // all readings combined
  std::string calls = {};                 // the finalist's library calls: "driver.fill, driver.copy"
  // The samples, corrected for changes of the device between and within rounds (tuner/paired_rounds.h). Empty: no
  // reference finalist ran between the others, so the samples are used uncorrected.
  std::vector<float> level_us = {};

  bool is_running() const { return status == TrialStatus::ok && !settled; }
  // The samples to use when finalists are compared.
  const std::vector<float>& compared_us() const { return level_us.empty() ? samples_us : level_us; }
};

// Returns the median of compared_us(); before the first round, explored_us.
double compared_median_us(const Finalist& finalist);
// Returns the median of samples_us.
double measured_median_us(const Finalist& finalist);

} // namespace warptune
