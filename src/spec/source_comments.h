// Removes the comments of a C++ source, for code that inspects its lines.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// Replaces every character of a comment by a blank, so length and lines stay the same. Literals are unchanged,
// including raw strings.
std::string without_comments(std::string_view source);

} // namespace warptune
