// How a page stores the columns of trials: each in the shortest of four JSON forms. The page (web/unpack.js) restores
// every value exactly.
//   [7, 7.5, null]                                    the values themselves
//   {"all": 7}                                        every trial has this value
//   {"values": [null, 7, 8], "at": [1, 1, 0, 2]}      the distinct values, and for each trial the index of its value
//   {"decimals": 2, "from": 990, "by": [3, 0, 14]}    9.93, null, 10.04: (from + by) / 10^decimals, where by = 0 means
//                                                     null; `decimals` may be negative
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace warptune::report {

nlohmann::ordered_json packed_column(const nlohmann::ordered_json& column);

// Packs every column in `trials` (trials_json.h), also in nested objects.
void pack_trials(nlohmann::ordered_json& trials);

} // namespace warptune::report
