// Converts a configuration's samples to the text that a database stores with the trial, and back. Pure.
#pragma once

#include "core/pc_samples.h"
#include "core/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace warptune::report {

// Returns JSON, format 1: {"format", "source", "launches", "period_cycles", "dropped", "instructions": [{"function",
// "offset", "file", "line", "stalls", "not_issued", "counts"}], "sass": {function: [[offset, text]]}, "no_sass",
// "no_counts"}. If nothing was counted, and in older texts, "counts" (the members of InstructionCounts) and "no_counts"
// are missing.
std::string source_profile_text(const SourceProfile& profile);

nlohmann::json counts_json(const InstructionCounts& counts);

// Error (database): the text is damaged, or has another format.
Result<SourceProfile> parse_source_profile(std::string_view text);

} // namespace warptune::report
