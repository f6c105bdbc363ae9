// `sweep --status DIR` shows the state of a shared sweep, and `sweep --cancel DIR` cancels it. Rendering is pure.
#pragma once

#include "cluster/run_status.h"
#include "core/result.h"

#include <string>

namespace warptune::cli {

// `run`: the folder, as typed. `width`: 0 means no limit. Long lists of nodes and failures are cut; --json has all.
std::string render_status(const std::string& run, const RunDescription& description, const RunStatus& status,
                          int width);
// On a terminal, redraws the state every two seconds until the run is done or cancelled, or the user interrupts.
// Elsewhere prints it once.
Result<int> show_status(const std::string& run, bool as_json);
Result<int> cancel_sweep(const std::string& run, bool as_json);

} // namespace warptune::cli
