// --config: parses the configuration that a user names.
#pragma once

#include "cli/asked_problem.h"

#include <string>

namespace warptune::cli {

struct NamedConfig {
  Config config;
  std::string what; // "best: ...", "default", "as given"
};

// "best" (the dispatcher's choice), "default", {"VEC": 4} or VEC=4,UNROLL=2: params that are not given keep their
// defaults. The result is valid for the problem on the device; otherwise the error says why not.
Result<NamedConfig> find_config(const std::string& text, const Asked& asked, const DeviceInfo& device,
                                const Reader* database, std::vector<std::string>& notes);

} // namespace warptune::cli
