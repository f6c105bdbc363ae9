// Measures the energy of work that runs repeatedly without pauses: one thread reads NVML's counter during a window,
// while the calling thread keeps the device busy.
#pragma once

#include "gpu/nvml.h"
#include "profiler/device_timer.h"

#include <vector>

namespace warptune {

// The changes of NVML's energy counter. A value of the counter is exact only at the moment of a change.
struct EnergyTrace {
  struct Point {
    double at_s = 0, energy_mj = 0;
  };
  std::vector<Point> changes;
  double clock_sum_mhz = 0, temperature_c = 0;
  int readings = 0;
  std::uint64_t throttle_reasons = 0;
};

// Returns the average power in W between two changes of the counter: the first change at or after `from_s`, and the
// last change. 0 if there are fewer than two.
double average_watts(const EnergyTrace& trace, double from_s);
// Returns the seconds between the two changes that average_watts uses; 0 if there are fewer than two.
double counted_seconds(const EnergyTrace& trace, double from_s);

class PowerMeter {
 public:
  PowerMeter(const Driver& driver, NvmlDevice nvml) : driver_(driver), nvml_(nvml) {}

  // Waits until the device has settled (about 0.5 s), then measures for at least `window_s`. The inputs are restored
  // between launches; the energy of restoring them is measured separately and subtracted. If a launch takes less time
  // than enqueueing it (about 3 us), the device idles in between, and its idle energy is included. energy_mj is 0 if
  // the counter did not change.
  TimedResult<PowerReading> measure(const TimedWork& work, double window_s, CUstream stream);

  double deadline_s = 20; // seconds for a few launches

 private:
  struct Load {
    double watts = 0, us = 0, window_s = 0; // us: time of one repetition
    double clock_mhz = 0, temperature_c = 0;
    std::uint64_t throttle_reasons = 0;
    std::int64_t repetitions = 0;
  };
  using Enqueue = std::function<CUresult(CUstream)>;
  TimedResult<int> repetitions_a_chunk(const Enqueue& run, CUstream stream);
  TimedResult<Load> load(const Enqueue& run, double window_s, CUstream stream);

  const Driver& driver_;
  NvmlDevice nvml_;
};

} // namespace warptune
