// The parts of a recording that are not times: hardware counters of trials and energy of finalists. Handles only this
// part of the JSON; recording_writer.cpp and recording_reader.cpp handle the rest.
#pragma once

#include "core/trial.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace warptune {

// Returns {"profiles": [{"source", "passes", "cold_l2", "trials": [places], "counters": {metric: [value or null]}}],
// "power": [[place, energy_mj, average_w, ...]]}, without empty lists. A place is the index of a trial.
nlohmann::ordered_json findings_json(const std::vector<Trial>& trials);
// Adds the findings to trials that were read before. Throws std::exception if the JSON has another structure.
void read_findings(const nlohmann::ordered_json& findings, std::vector<Trial>& trials);

} // namespace warptune
