// Converts configurations to text and back, and checks one configuration without a search space.
#pragma once

#include "core/config.h"
#include "core/device.h"
#include "core/result.h"
#include "spec/problem.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// "VEC=4,UNROLL=2", or "implementation=online,VEC=4" if there are several implementations. The text identifies a
// configuration in the database. The text omits the params that only other implementations have.
std::string config_text(const KernelSpec& spec, const Config& config);
// Also accepts texts stored before the operator's implementations had names (Implementation::formerly).
Result<Config> parse_config(const KernelSpec& spec, std::string_view text);
// Makes a configuration from pairs of a name and a value.
struct NamedValue {
  std::string name, value; // `value`: the digits of a number, or a label
};
Result<Config> make_config(const KernelSpec& spec, const std::vector<NamedValue>& values);
// Returns the default of one implementation, given by its index. The default of the first implementation is the
// operator's default.
Config default_config(const KernelSpec& spec, std::size_t implementation = 0);

// Returns nullopt if the configuration is valid. Otherwise returns the `why` of the first constraint that is not met,
// or the evaluation error.
std::optional<std::string> check_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                        const Config& config);

// Returns the default configuration for a problem: the first of the implementations' defaults that is valid. Skips
// implementations that call libraries or are built by a command, except the first implementation. If no default is
// valid, returns the operator's default.
Config default_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

} // namespace warptune
