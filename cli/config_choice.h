// Finds the configuration that an application would launch for a problem.
#pragma once

#include "cli/asked_problem.h"
#include "core/device.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune::cli {

struct Choice {
  Selection selection;
  std::vector<TunedEntry> entries;
  const TunedEntry* entry() const {
    return selection.entry >= 0 ? &entries[static_cast<std::size_t>(selection.entry)] : nullptr;
  }
};
// Chooses the configuration as the runtime library does, for buffers at multiples of `alignment` bytes. Uses the
// database if there is one. `allow_vendor`: also allow configurations that call libraries, as $WARPTUNE_ALLOW_VENDOR
// does.
Result<Choice> choose_config(const Asked& asked, const DeviceInfo& device, const Reader* reader,
                             std::vector<std::string>& notes, bool allow_vendor,
                             std::int64_t alignment = kDefaultAlignment);

// Returns the library calls that a configuration makes for the problem, in their order: "driver.copy".
std::vector<std::string> library_calls_of(const Asked& asked, const Config& config, const DeviceInfo& device);

} // namespace warptune::cli
