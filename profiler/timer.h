// Times a launch sequence on a device. Events are queued behind a spin kernel, so that launch latency is not included.
// The L2 is cold by default (a flush outside the timed region before each sample). Stops when the confidence interval
// is narrow enough.
#pragma once

#include "core/result.h"
#include "core/trial.h"

#include <functional>

namespace warptune {

struct MeasureOptions {
  bool cold_l2 = true;
  int min_samples = 7, max_samples = 100;
  double target_rel_ci = 0.005; // half the width of the median's interval, divided by the median
  double max_ms = 200;          // device time spent on samples, flushes excluded
  double settle_ms = 0;         // a device thread spins for this time first, so that the clock rises
  double drop_above_us = 0;     // racing: stop after min_samples if the interval lies above this; 0: never
};

} // namespace warptune
