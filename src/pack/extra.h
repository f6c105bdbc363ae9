// Chooses additional configurations for untuned shapes, besides those that cover the tuned ones (choose.h): a
// configuration that suits few tuned shapes may suit many untuned ones. Reads no rows and compiles nothing.
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

// Whether a configuration can serve a shape, both given by number. Called only if the answer matters.
using CanServe = std::function<bool(std::size_t config, std::size_t shape)>;

// Returns the numbers of at most `limit` configurations. Each is the one that most reduces the mean loss of the shapes
// when every shape uses the best shipped configuration; ties go to the first. Stops when the reduction falls below 0.05
// % of the shapes' time. `promises`: by shape; a configuration without a promise is assumed to be twice as slow.
// `shipped`: the configurations that already ship.
std::vector<std::size_t> spread_configs(const std::vector<std::vector<Promise>>& promises,
                                        const std::vector<std::size_t>& shipped, std::size_t limit,
                                        const CanServe& can_serve);

// Like spread_configs, but for 256 probes of make_probes (untuned.h). The promises (expected losses) of the probes come
// from the rule that is learned from all measurements (predict/transfer_model.h). Considers only configurations that
// may ship for some tuned shape, and ignores programs that serve only one probe.
std::vector<std::size_t> extra_configs(const PackedKernel& kernel, const MeasuredVariant& variant,
                                       const std::vector<std::size_t>& shipped, std::size_t limit);

} // namespace warptune
