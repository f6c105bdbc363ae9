// Finalist: a configuration in the finals, with what the rounds said of it.
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
  double explored_us = 0;               // the median that brought it here
  std::vector<float> samples_us;        // one per round that counted
  TrialStatus status = TrialStatus::ok; // not ok: out, with the evidence
  std::string evidence;
  std::int64_t shared_bytes = 0, threads = 0; // of a block of its largest launch; dynamic shared memory
  bool settled = false;                       // proven slower than another: its rounds are over
  std::vector<float> energy_mj = {};          // of a launch, one per reading (tuner/energy.h)
  std::optional<PowerReading> power = {};     // what those readings come to
  std::string calls = {};                     // into libraries: "driver.fill, driver.copy"
  // The samples as they would be, had the device been in all rounds and places as in the median round
  // (tuner/paired_rounds.h). Empty: no reference ran between the finalists, and the samples stand for themselves.
  std::vector<float> level_us = {};

  bool is_running() const { return status == TrialStatus::ok && !settled; }
  // What it is compared with others by.
  const std::vector<float>& compared_us() const { return level_us.empty() ? samples_us : level_us; }
};

// The median of what it is compared by; before its first round, of the exploration.
double compared_median_us(const Finalist& finalist);
// The median of its samples, as they were taken.
double measured_median_us(const Finalist& finalist);

} // namespace warptune
