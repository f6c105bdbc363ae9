// Removes members from the text of a JSON file. Members are selected by path, not by content; the rest does not change.
// Does not depend on specs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// The keys from the root to a member; the member's own key is the last. Items of an array have the key "".
using MemberPath = std::vector<std::string_view>;

// Returns `json` without the members for which `is_left_out` is true. The comma before a removed member is removed too;
// for the first member of an object, the comma after it. If all members of an object would be removed, its last one is
// kept. If `count` is given and a different number of members would be removed, returns `json` unchanged. Precondition:
// `json` parses; it may have comments.
std::string without_members(const std::string& json, const std::function<bool(const MemberPath&)>& is_left_out,
                            std::optional<std::ptrdiff_t> count = std::nullopt);

} // namespace warptune
