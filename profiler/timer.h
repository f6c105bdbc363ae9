// Times a launch sequence on a device. Events are queued behind a spin kernel, so that launch latency is not measured.
// The L2 is cold by default: it is flushed before each sample, outside of the timed region. Stops when the confidence
// interval is narrow enough.
#pragma once

#include "core/result.h"
#include "core/trial.h"

namespace warptune {

struct MeasureOptions {
  bool cold_l2 = true;
  int min_samples = 7, max_samples = 100;
  double target_rel_ci = 0.005; // half the width of the median's interval, divided by the median
  double max_ms = 200;          // device time for samples, without flushes
  double settle_ms = 0;         // time for which a device thread spins first, so that the clock rises
  double drop_above_us = 0;     // early stopping: stop after min_samples if the interval is above this; 0: never
};

} // namespace warptune
