// Counters through CUPTI's Range Profiler. Each kernel is one range, and the whole batch runs once per pass. The
// requirements of CUPTI 13.0 were found by experiment on an H200; comments in the code give details.
#pragma once

#include "profiler/counter_source.h"

namespace warptune {

// Errors are of kind no_device. The message is the sentence that CounterSource::why_not returns.
Result<std::unique_ptr<CounterSource>> make_cupti_counters(const Driver& driver, const CubinProvider& provider,
                                                           const DeviceLimits& limits);

} // namespace warptune
