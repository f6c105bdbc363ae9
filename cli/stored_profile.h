// Stores counters that a command read beside the trial of the session that measured the configuration.
#pragma once

#include "cli/asked_problem.h"
#include "core/trial.h"

#include <filesystem>
#include <string>

namespace warptune::cli {

// Returns a sentence: where it was stored, or why not. `database`: null if there is none. Error: it cannot be written.
Result<std::string> store_profile(const std::filesystem::path& file, const Reader* database, const Asked& asked,
                                  const DeviceInfo& device, const Profile& profile, const std::string& config);

} // namespace warptune::cli
