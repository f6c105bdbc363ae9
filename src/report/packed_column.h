// The trials' columns as a page stores them: each in the shortest of four forms, all of them JSON, from which the page
// (web/unpack.js) restores every value digit for digit.
//   [7, 7.5, null]                                    unchanged
//   {"all": 7}                                        every trial has this value
//   {"values": [null, 7, 8], "at": [1, 1, 0, 2]}      few values, and each trial's position among them
//   {"decimals": 2, "from": 990, "by": [3, 0, 14]}    9.93, null, 10.04: (from + by) / 10^decimals, 0 is null; negative
//                                                     decimals mean times 10^-decimals
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace warptune::report {

nlohmann::ordered_json packed_column(const nlohmann::ordered_json& column);

// Packs every column in `trials` (trials_json.h), at any depth.
void pack_trials(nlohmann::ordered_json& trials);

} // namespace warptune::report
