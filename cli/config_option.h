// --config: which configuration a command is about, as people write it.
#pragma once

#include "cli/asked_problem.h"

#include <string>

namespace warptune::cli {

struct NamedConfig {
  Config config;
  std::string what; // "best: ...", "default", "as given"
};

// "best" (what the dispatcher picks), "default", {"VEC": 4} (what is not named is as in the default) or VEC=4,UNROLL=2
// (all of them). Valid for the problem on the device, or an error that says why not.
Result<NamedConfig> find_config(const std::string& text, const Asked& asked, const DeviceInfo& device,
                                const Reader* database, std::vector<std::string>& notes);

} // namespace warptune::cli
