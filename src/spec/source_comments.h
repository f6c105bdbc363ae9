// Removes comments from C++ source, for code that inspects its lines.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// Replaces every character of a comment by a blank, so that lengths and line numbers do not change. String literals,
// including raw ones, keep their text.
std::string without_comments(std::string_view source);

} // namespace warptune
