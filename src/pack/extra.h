// Configurations that ship for shapes that nobody tuned, beside those that cover the tuned ones (choose.h): what suits
// few tuned shapes may suit many others. Reads no rows and compiles nothing.
#pragma once

#include "pack/choose.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace warptune {

// What a configuration should lose on a shape: 0.03 is 3 %.
struct Promise {
  std::size_t config;
  double loss;
};

// Whether a configuration can serve a shape, both by number. Asked only where the answer matters.
using CanServe = std::function<bool(std::size_t config, std::size_t shape)>;

// At most `limit` configurations, by number, each the one that takes most off the mean of what the shapes lose with the
// best of those that ship; the first of equals. Ends where that is less than 0.05 % of the shapes' time. `promises`: by
// shape; a configuration without one loses as much as one that is twice as slow. `shipped`: those that are there.
std::vector<std::size_t> spread_configs(const std::vector<std::vector<Promise>>& promises,
                                        const std::vector<std::size_t>& shipped, std::size_t limit,
                                        const CanServe& can_serve);

// The same for 256 probes of make_probes (untuned.h) and what the rule of all that was measured
// (predict/transfer_model.h) promises. Only what may ship for some tuned shape; no program that serves a single probe.
std::vector<std::size_t> extra_configs(const PackedKernel& kernel, const MeasuredVariant& variant,
                                       const std::vector<std::size_t>& shipped, std::size_t limit);

} // namespace warptune
