// What a session minimises: time, energy of a launch, or their product. Pure; knows no measuring.
#pragma once

#include <optional>
#include <string_view>

namespace warptune {

enum class Objective { time, energy, edp }; // edp: energy-delay product (Horowitz et al. 1994)

// "time", "energy", "edp"; stored in databases: never change one.
std::string_view objective_name(Objective objective);
std::optional<Objective> parse_objective(std::string_view name);

// What is to be small: us, mJ, or mJ us. Energy 0: not known, and then only time can be judged.
double objective_value(Objective objective, double time_us, double energy_mj);

} // namespace warptune
