// Configurations as text, and whether one is valid without building a space.
#pragma once

#include "core/config.h"
#include "core/device.h"
#include "core/result.h"
#include "spec/problem.h"

#include <optional>
#include <string>
#include <string_view>

namespace warptune {

std::string config_text(const KernelSpec& spec, const Config& config); // "VEC=4,UNROLL=2": identity in the database
Result<Config> parse_config(const KernelSpec& spec, std::string_view text);
Config default_config(const KernelSpec& spec);

// Nothing when valid, else the `why` of the first constraint that fails (or the evaluation error).
std::optional<std::string> check_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                        const Config& config);

} // namespace warptune
