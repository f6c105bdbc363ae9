// Chooses additional configurations for untuned shapes. The configurations that cover the tuned shapes (choose.h) are
// not enough, because a configuration that suits few tuned shapes may suit many untuned shapes. Reads no rows and
// compiles nothing.
#pragma once

#include "pack/choose.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace warptune {

// The expected loss of a configuration on a shape: 0.03 is 3 %.
struct Promise {
  std::size_t config;
  double loss;
};

// Whether a configuration can run on a shape; both are given by index.
using CanServe = std::function<bool(std::size_t config, std::size_t shape)>;

// Returns the indices of at most `limit` configurations. Each time, adds the configuration that most reduces the mean
// loss over all shapes (the first, if several are equal). Every shape uses the best configuration that ships. Stops
// when the reduction falls below 0.05 % of the shapes' time. `promises`: one list per shape; a configuration without a
// promise counts as twice as slow as the fastest. `shipped`: the configurations that ship anyway.
std::vector<std::size_t> spread_configs(const std::vector<std::vector<Promise>>& promises,
                                        const std::vector<std::size_t>& shipped, std::size_t limit,
                                        const CanServe& can_serve);

// Applies spread_configs to 256 probes of make_probes (untuned.h). The rule learned from all measurements
// (predict/transfer_model.h) gives the promises. Considers only configurations that may ship for some tuned shape, and
// ignores programs that serve only one probe.
std::vector<std::size_t> extra_configs(const PackedKernel& kernel, const MeasuredVariant& variant,
                                       const std::vector<std::size_t>& shipped, std::size_t limit);

} // namespace warptune
