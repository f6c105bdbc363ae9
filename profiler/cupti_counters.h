// Counters through CUPTI's Range Profiler: each kernel is a range of one pass over a batch, replayed by us for every
// pass. What CUPTI 13.0 demands was measured on an H200 and stands beside the code that heeds it.
#pragma once

#include "profiler/counter_source.h"

namespace warptune {

// Errors of kind no_device: the sentence for CounterSource::why_not.
Result<std::unique_ptr<CounterSource>> make_cupti_counters(const Driver& driver, const CubinProvider& provider,
                                                           const DeviceLimits& limits);

} // namespace warptune
