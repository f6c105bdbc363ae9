// The output of `capture`: an application's kernels, sorted by device time, and notes about what could not be observed.
#pragma once

#include "capture/records.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace warptune::cli {

void print_capture_list(const CaptureRecords& records);
nlohmann::json capture_json(const CaptureRecords& records);

// Returns sentences about processes that were observed only in part.
std::vector<std::string> capture_notes(const CaptureRecords& records);

} // namespace warptune::cli
