// Configurations as text, and whether one is valid without building a space.
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

// "VEC=4,UNROLL=2", or "implementation=online,VEC=4" where there is a choice: identity in the database. Params of other
// implementations are left out.
std::string config_text(const KernelSpec& spec, const Config& config);
// Also reads what a configuration was called before its implementation had a name (Implementation::formerly).
Result<Config> parse_config(const KernelSpec& spec, std::string_view text);
// The same of pairs.
struct NamedValue {
  std::string name, value; // a number's digits, or a label
};
Result<Config> make_config(const KernelSpec& spec, const std::vector<NamedValue>& values);
// Of one of KernelSpec::implementations; the first is the operator's default.
Config default_config(const KernelSpec& spec, std::size_t implementation = 0);

// Nothing when valid, else the `why` of the first constraint that fails (or the evaluation error).
std::optional<std::string> check_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                        const Config& config);

// What stands for "the default" of a problem: that of the first implementation of kernels from source which is valid
// for it, or, where none is, the operator's.
Config default_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

} // namespace warptune
