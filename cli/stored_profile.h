// Stores the counters and samples that a command has read. Adds them to the configuration's trial in a session that
// measured this configuration.
#pragma once

#include "cli/asked_problem.h"
#include "db/writer.h"

#include <filesystem>
#include <string>

namespace warptune::cli {

// Counters and samples of one configuration, and the L2 state in which they were counted.
struct ProfileFindings {
  std::string config; // config_text
  bool cold_l2 = true;
  Writer::Findings findings;
};

// Returns a sentence: where the findings were stored, or why they were not. `database`: null if there is none. Error:
// the file cannot be written.
Result<std::string> store_profile(const std::filesystem::path& file, const Reader* database, const Asked& asked,
                                  const DeviceInfo& device, const ProfileFindings& found);

} // namespace warptune::cli
