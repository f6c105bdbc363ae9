// The samples of a configuration as text, which a database stores with its trial. Pure.
#pragma once

#include "core/pc_samples.h"
#include "core/result.h"

#include <string>
#include <string_view>

namespace warptune::report {

// JSON, format 1: {"format", "source", "launches", "period_cycles", "dropped", "instructions": [{"function", "offset",
// "file", "line", "stalls", "not_issued", "counts"}], "sass": {function: [[offset, text]]}, "no_sass", "no_counts"}.
// Left out where nothing was counted, as in older texts: "counts" (the members of InstructionCounts), "no_counts".
std::string source_profile_text(const SourceProfile& profile);

// Error (database): the text is damaged or in another format.
Result<SourceProfile> parse_source_profile(std::string_view text);

} // namespace warptune::report
