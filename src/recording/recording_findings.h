// A recording's findings besides times: each trial's hardware counters, and the finalists' energy. Handles only its own
// JSON; recording_writer.cpp and recording_reader.cpp handle the rest of the format.
#pragma once

#include "core/trial.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace warptune {

// {"profiles": [{"source", "passes", "cold_l2", "trials": [places], "counters": {metric: [value or null]}}], "power":
// [[place, energy_mj, average_w, ...]]}; a list is left out if it is empty.
nlohmann::ordered_json findings_json(const std::vector<Trial>& trials);
// Adds the findings to existing trials. Throws std::exception if the JSON has a different structure.
void read_findings(const nlohmann::ordered_json& findings, std::vector<Trial>& trials);

} // namespace warptune
