// Chooses the configuration with the shortest expected time (predict/expected_time.h) for a problem without
// measurements. Pure.
#pragma once

#include "core/device.h"
#include "spec/problem.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace warptune {

struct ExpectedChoice {
  Config config;
  double us = 0;          // its expected time, without the start of the first launch
  double rival_us = 0;    // expected time of the rival; 0: the rival is not valid or has no estimate
  std::int64_t count = 0; // number of valid configurations
};

// by_author: only times from an author's formula.
enum class Estimates { any, by_author };

// Returns why a configuration may not be launched; nullopt: it may.
using Refuse = std::function<std::optional<std::string>(const Config&)>;

// Considers the configurations whose estimate is of the same kind as the rival's: from an author's formula, or from
// the roofline model. `rival` is the configuration that would be launched otherwise, such as the default. Returns the
// rival if no expected time is shorter than the rival's by a tenth, or a fifth of the roofline model's times. If the
// device's roofs were not measured, its theoretical roofs are used. nullopt: no configuration has an estimate, `refuse`
// rejects the most promising ones, the space cannot be built, or the rival's estimate is not one of `wanted`.
std::optional<ExpectedChoice> shortest_expected(const KernelSpec& spec, const Problem& problem, DeviceInfo device,
                                                const Refuse& refuse, const Config& rival,
                                                Estimates wanted = Estimates::any);

} // namespace warptune
