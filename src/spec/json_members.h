// Removes members from a JSON text. The caller selects members by path, not by content. The rest of the text does not
// change. Independent of specs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// The keys on the way from the root to a member. The member's own key is the last. An item of an array has the key "".
using MemberPath = std::vector<std::string_view>;

// Returns `json` without the members for which `is_left_out` is true. Also removes the comma before a member or, for
// the first member of an object, the comma after it. If all members of an object would be removed, the last one stays.
// If `count` is given and the number of members to remove differs from it, returns `json` unchanged. Precondition:
// `json` is valid JSON, possibly with comments.
std::string without_members(const std::string& json, const std::function<bool(const MemberPath&)>& is_left_out,
                            std::optional<std::ptrdiff_t> count = std::nullopt);

} // namespace warptune
