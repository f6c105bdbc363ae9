// A copy of a sweep and of the program in the run folder, so that edits and upgrades do not change a run that takes
// days.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// RUN/frozen/:
//   bin/warptune         the program
//   kernel_templates/    the shipped kernels
//   kernels/             the kernel folders that the sweep names by path, and folders of further implementations
//   also                 the copies of the folders given with --also, one in a line
//   sweep.json           the sweep, which names those copies
struct FrozenSweep {
  std::filesystem::path program, templates, sweep;
  std::vector<std::string> also; // the copies of the folders given with --also, in their order
};

FrozenSweep frozen_in(const std::filesystem::path& run); // the paths need not exist
bool is_frozen(const std::filesystem::path& run);

// `sweep`: the file, already read without an error. `templates`: the folders of shipped kernels; if several have a
// kernel, the first one is used. Errors (database): the run folder cannot be written, or a source cannot be read.
Result<FrozenSweep> freeze_sweep(const std::filesystem::path& run, const std::filesystem::path& sweep,
                                 const std::vector<std::filesystem::path>& templates,
                                 const std::vector<std::string>& also);

} // namespace warptune
