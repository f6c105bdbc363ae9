// The text of a JSON file without some of its members, named by where they are and not by what they look like: what is
// left is byte for byte what was there. Knows nothing of specs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// The keys from the root down to a member, the member's own last; of an array's items "".
using MemberPath = std::vector<std::string_view>;

// `json`, which parses (comments and all), without the members that `is_left_out` names: each goes with the comma
// before it, or, where it is the first of its object, with the one behind it. Untouched where there are not `count` of
// them; nothing: however many there are.
std::string without_members(const std::string& json, const std::function<bool(const MemberPath&)>& is_left_out,
                            std::optional<std::ptrdiff_t> count = std::nullopt);

} // namespace warptune
