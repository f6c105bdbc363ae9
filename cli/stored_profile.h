// Stores counters and samples that a command read beside the trial of the session that measured the configuration.
#pragma once

#include "cli/asked_problem.h"
#include "core/trial.h"
#include "db/writer.h"

#include <filesystem>
#include <string>

namespace warptune::cli {

// What was found of a configuration, with the L2 as it was timed.
struct ProfileFindings {
  std::string config; // config_text
  bool cold_l2 = true;
  Writer::Findings findings;
};

// Returns a sentence: where it was stored, or why not. `database`: null if there is none. Error: it cannot be written.
Result<std::string> store_profile(const std::filesystem::path& file, const Reader* database, const Asked& asked,
                                  const DeviceInfo& device, const ProfileFindings& found);

} // namespace warptune::cli
