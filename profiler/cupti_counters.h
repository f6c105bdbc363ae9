// Counters through CUPTI's Range Profiler: each kernel is one range, and warptune runs the whole batch once per pass.
// CUPTI 13.0's requirements were found by experiment on an H200; comments in the code give details.
#pragma once

#include "profiler/counter_source.h"

namespace warptune {

// Errors are of kind no_device; their message is the sentence for CounterSource::why_not.
Result<std::unique_ptr<CounterSource>> make_cupti_counters(const Driver& driver, const CubinProvider& provider,
                                                           const DeviceLimits& limits);

} // namespace warptune
