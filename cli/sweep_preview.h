// What `sweep` prints without tuning: the shipped sweeps (--list) and the jobs of a sweep (--dry-run). Needs no device.
#pragma once

#include "cli/device_choice.h"
#include "cli/sweep_file.h"

#include <string>
#include <vector>

namespace warptune::cli {

Result<int> list_sweeps(const TemplateStore& store, bool as_json);

// Prints the jobs, with the sizes of their spaces on their devices. Returns the exit code, which is kNotAllWell if a
// job has no valid configuration there. `devices`: one per job. `wide`: --wide.
Result<int> preview_sweep(const std::string& name, const SweepPlan& plan, const std::vector<ChosenDevice>& devices,
                          bool as_json, bool wide);

} // namespace warptune::cli
