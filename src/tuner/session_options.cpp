#include "tuner/session_options.h"

namespace warptune {

std::optional<ProfileScope> parse_profile_scope(std::string_view name) {
  if (name == "none") return ProfileScope::none;
  if (name == "best") return ProfileScope::best;
  if (name == "all") return ProfileScope::all;
  return std::nullopt;
}

} // namespace warptune
