// The output of `capture`: the ranking of an application's kernels, and notes on incomplete observations.
#pragma once

#include "capture/records.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace warptune::cli {

void print_capture_list(const CaptureRecords& records);
nlohmann::json capture_json(const CaptureRecords& records);

// Sentences on processes that were observed only in part.
std::vector<std::string> capture_notes(const CaptureRecords& records);

} // namespace warptune::cli
