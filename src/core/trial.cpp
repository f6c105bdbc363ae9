#include "core/trial.h"

#include <array>

namespace warptune {
namespace {

// In the order of TrialStatus. Databases and recordings store these names: never change one.
constexpr std::array<std::string_view, 8> kStatuses = {"ok",        "invalid", "compile_failed", "launch_failed",
                                                       "timed_out", "crashed", "wrong_result",   "unstable"};

} // namespace

std::string_view status_name(TrialStatus s) { return kStatuses[static_cast<std::size_t>(s)]; }

std::optional<TrialStatus> parse_status(std::string_view name) {
  for (std::size_t i = 0; i < kStatuses.size(); ++i)
    if (kStatuses[i] == name) return static_cast<TrialStatus>(i);
  return std::nullopt;
}

} // namespace warptune
