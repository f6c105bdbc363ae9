// `sweep --status DIR` and `sweep --cancel DIR`: show the state of a shared sweep, and cancel it. Rendering is pure.
#pragma once

#include "cluster/run_status.h"
#include "core/result.h"

#include <string>

namespace warptune::cli {

// `run`: the folder as typed. `width` 0: no limit. Lists of nodes and failures are cut; --json has them all.
std::string render_status(const std::string& run, const RunDescription& description, const RunStatus& status,
                          int width);
// On a terminal, redrawn every two seconds until the run is done, cancelled or interrupted; otherwise printed once.
Result<int> show_status(const std::string& run, bool as_json);
Result<int> cancel_sweep(const std::string& run, bool as_json);

} // namespace warptune::cli
