// The quantity that a session minimises: time, energy per launch, or their product. Pure functions, no measurements.
#pragma once

#include <optional>
#include <string_view>

namespace warptune {

enum class Objective { time, energy, edp }; // edp: energy-delay product (Horowitz et al. 1994)

// "time", "energy", "edp". Databases store these names, so never change a name.
std::string_view objective_name(Objective objective);
std::optional<Objective> parse_objective(std::string_view name);

// Returns the value to minimise, in us, mJ or mJ us. Energy 0 means "not known", which is only allowed for `time`.
double objective_value(Objective objective, double time_us, double energy_mj);

} // namespace warptune
