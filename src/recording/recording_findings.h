// The part of a recording besides times: the hardware counters of each trial, and the energy of finalists. Handles only
// its own JSON; recording_writer.cpp and recording_reader.cpp have the rest of the file's format.
#pragma once

#include "core/trial.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace warptune {

// {"profiles": [{"source", "passes", "cold_l2", "trials": [places], "counters": {metric: [value or null]}}], "power":
// [[place, energy_mj, average_w, ...]]}; an empty list of the two is left out.
nlohmann::ordered_json findings_json(const std::vector<Trial>& trials);
// Adds the findings to existing trials. Throws std::exception if the JSON has another form.
void read_findings(const nlohmann::ordered_json& findings, std::vector<Trial>& trials);

} // namespace warptune
