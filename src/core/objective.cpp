#include "core/objective.h"

#include <array>
#include <cstddef>

namespace warptune {
namespace {

constexpr std::array<std::string_view, 3> kObjectives = {"time", "energy", "edp"}; // in the order of Objective

} // namespace

std::string_view objective_name(Objective objective) { return kObjectives[static_cast<std::size_t>(objective)]; }

std::optional<Objective> parse_objective(std::string_view name) {
  for (std::size_t i = 0; i < kObjectives.size(); ++i)
    if (kObjectives[i] == name) return static_cast<Objective>(i);
  return std::nullopt;
}

double objective_value(Objective objective, double time_us, double energy_mj) {
  if (objective == Objective::time) return time_us;
  return objective == Objective::energy ? energy_mj : energy_mj * time_us;
}

} // namespace warptune
