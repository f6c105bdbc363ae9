// Energy of work that runs back to back: NVML's counter over a window, read by a thread of its own while this one keeps
// the device busy. Knows no kernels, no configurations and no objective.
#pragma once

#include "gpu/handles.h"
#include "gpu/nvml.h"
#include "profiler/device_timer.h"

#include <chrono>
#include <vector>

namespace warptune {

// The counter as it moved: only at the moments of a change is it known what time its value belongs to.
struct EnergyTrace {
  struct Point {
    double at_s = 0, energy_mj = 0;
  };
  std::vector<Point> changes;
  double clock_sum_mhz = 0, temperature_c = 0;
  int readings = 0;
  std::uint64_t throttle_reasons = 0;
};

// Watts between two changes: the first at `from_s` or later, and the last. 0: there are no two.
double average_watts(const EnergyTrace& trace, double from_s);
// Of the part of the trace that counts, in seconds; 0 as above.
double counted_seconds(const EnergyTrace& trace, double from_s);

class PowerMeter {
 public:
  PowerMeter(const Driver& driver, NvmlDevice nvml) : driver_(driver), nvml_(nvml) {}

  // At least `window_s` of counter after the device has settled, so about 0.5 s more. What restores the inputs runs
  // between the launches; it is measured alone as well and taken off. Where one launch is shorter than it takes to
  // enqueue (about 3 us), the device waits in between and the waiting counts. energy_mj 0: the counter did not move.
  TimedResult<PowerReading> measure(const TimedWork& work, double window_s, CUstream stream);

  double deadline_s = 20; // for a few launches

 private:
  struct Load {
    double watts = 0, us = 0, window_s = 0; // us: of one repetition
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
