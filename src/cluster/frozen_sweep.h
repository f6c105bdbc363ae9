// A copy of the sweep and of the program in the run folder, so that later edits and upgrades do not change a run that
// takes days.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// RUN/frozen/ has:
//   bin/warptune         the program
//   kernel_templates/    the shipped kernels
//   kernels/             copies of kernel folders that the sweep names by path, and of added implementations
//   also                 the paths of the copies of the folders given with --also, one per line
//   sweep.json           the sweep, which names the copies
//   scripts/             for Slurm: the scripts as they were written, and their options (slurm.h)
struct FrozenSweep {
  std::filesystem::path program, templates, sweep;
  std::vector<std::string> also; // copies of the folders given with --also, in their order
};

FrozenSweep frozen_in(const std::filesystem::path& run); // the paths need not exist
bool is_frozen(const std::filesystem::path& run);

// `sweep`: a file that was already read without an error. `templates`: folders of shipped kernels; if several have the
// same kernel, the first one is used. Errors (database): the run folder cannot be written, or something cannot be read.
Result<FrozenSweep> freeze_sweep(const std::filesystem::path& run, const std::filesystem::path& sweep,
                                 const std::vector<std::filesystem::path>& templates,
                                 const std::vector<std::string>& also);

} // namespace warptune
