// Measures the energy of work that runs back to back: one thread reads NVML's counter over a window while the calling
// thread keeps the device busy. Does not depend on kernels, configurations or the objective.
#pragma once

#include "gpu/handles.h"
#include "gpu/nvml.h"
#include "profiler/device_timer.h"

#include <chrono>
#include <vector>

namespace warptune {

// The changes of the energy counter, because the exact time of a reading is known only when the counter changes.
struct EnergyTrace {
  struct Point {
    double at_s = 0, energy_mj = 0;
  };
  std::vector<Point> changes;
  double clock_sum_mhz = 0, temperature_c = 0;
  int readings = 0;
  std::uint64_t throttle_reasons = 0;
};

// Average watts between two changes: the first one at `from_s` or later, and the last one. 0: fewer than two such
// changes.
double average_watts(const EnergyTrace& trace, double from_s);
// Length of this part of the trace in seconds; 0: fewer than two such changes.
double counted_seconds(const EnergyTrace& trace, double from_s);

class PowerMeter {
 public:
  PowerMeter(const Driver& driver, NvmlDevice nvml) : driver_(driver), nvml_(nvml) {}

  // The window covers at least `window_s` after the device has settled, so a call takes about 0.5 s more. The restore
  // of the inputs runs between the launches; its energy is also measured separately and subtracted. If a launch takes
  // less time than enqueueing it (about 3 us), the device idles in between, and the idle energy is included. energy_mj
  // is 0 if the counter did not change.
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
