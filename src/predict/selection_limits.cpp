#include "predict/selection_limits.h"

#include "spec/config.h"

#include <utility>

namespace warptune {

std::optional<std::string> SelectionLimits::refuse(const Config& config) const {
  for (const TunedEntry& e : entries)
    if (!e.disqualified.empty() && e.config == config && is_same_but_lists(e.problem, problem) && e.arch == device.arch)
      return e.disqualified;
  if (auto reason = check_config(spec, problem, device, config)) return reason;
  if (auto reason = check_alignment(spec, problem, device, config, options.alignment)) return reason;
  return options.refuse ? options.refuse(config) : std::nullopt;
}

std::string obstacle(const SelectionLimits& limits, const std::string& reason) {
  std::string of_calls;
  for (std::size_t i = 0; i < limits.spec.implementations.size(); ++i) {
    const Implementation& implementation = limits.spec.implementations[i];
    const Config config = default_config(limits.spec, i);
    if (check_config(limits.spec, limits.problem, limits.device, config)) continue;
    const auto refused = limits.refuse(config);
    if (!refused) continue;
    std::string found =
        (implementation.name.empty() ? "the default: " : "the default of " + implementation.name + ": ") + *refused;
    if (implementation.library_calls.empty()) return found;
    if (of_calls.empty()) of_calls = std::move(found);
  }
  return of_calls.empty() ? "the default: " + reason : of_calls;
}

} // namespace warptune
