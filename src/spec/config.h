// Configurations as text, and a check of one configuration without building a space.
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

// "VEC=4,UNROLL=2", or "implementation=online,VEC=4" if there are several implementations. This string identifies a
// configuration in the database. It leaves out params of other implementations.
std::string config_text(const KernelSpec& spec, const Config& config);
// Also reads strings written before the implementations had names (Implementation::formerly).
Result<Config> parse_config(const KernelSpec& spec, std::string_view text);
// Parses a configuration given as pairs of names and values.
struct NamedValue {
  std::string name, value; // a number's digits, or a label
};
Result<Config> make_config(const KernelSpec& spec, const std::vector<NamedValue>& values);
// Returns the default of KernelSpec::implementations[implementation]; the first implementation is the operator's
// default.
Config default_config(const KernelSpec& spec, std::size_t implementation = 0);

// Returns nullopt if the configuration is valid; otherwise the `why` of the first failing constraint, or the evaluation
// error.
std::optional<std::string> check_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                        const Config& config);

// Returns the default configuration for a problem: the first valid one of the implementations' defaults.
// Implementations after the first are skipped if they call libraries or are built by a command. If no default is valid,
// returns the operator's default.
Config default_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

} // namespace warptune
