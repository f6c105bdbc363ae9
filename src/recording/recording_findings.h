// The part of a recording that is not times: what the hardware counted of each trial, and the energy of finalists.
// Knows its own JSON alone; recording_writer.cpp and recording_reader.cpp hold the rest of the file's format.
#pragma once

#include "core/trial.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace warptune {

// {"profiles": [{"source", "passes", "cold_l2", "trials": [places], "counters": {metric: [value or null]}}],
//  "power": [[place, energy_mj, average_w, ...]]}; either is left out where there is none.
nlohmann::ordered_json findings_json(const std::vector<Trial>& trials);
// Into the trials that are there already. Throws std::exception on what is not of this form.
void read_findings(const nlohmann::ordered_json& findings, std::vector<Trial>& trials);

} // namespace warptune
