// Reads --config, with which the user names a configuration.
#pragma once

#include "cli/asked_problem.h"

#include <string>

namespace warptune::cli {

struct NamedConfig {
  Config config;
  std::string what; // "best: ...", "default" or "as given"
};

// `text`: "best" (what an application would launch), "default", {"VEC": 4} or VEC=4,UNROLL=2. Params that are not given
// keep their defaults. Error: the configuration is not valid for the problem on the device; the message gives the
// reason.
Result<NamedConfig> find_config(const std::string& text, const Asked& asked, const DeviceInfo& device,
                                const Reader* database, std::vector<std::string>& notes);

} // namespace warptune::cli
