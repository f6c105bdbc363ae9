// A C++ source without its comments, for whoever looks at its lines. Knows nothing of what they mean.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// As long as `source`, with the same lines: every character of a comment is a blank. Literals stay as they are, raw
// strings included.
std::string without_comments(std::string_view source);

} // namespace warptune
