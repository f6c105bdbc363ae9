// Text from outside (a database, a recording, a user's folder, a compiler's log) is sanitised before it is shown:
// nothing in it may move the cursor, change colours or reorder the text. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// For text on one line: control characters, escape sequences, bidirectional overrides and bytes that are not UTF-8
// become visible (\x1b, \n).
std::string sanitize(std::string_view text);
// For logs: the same, but keeps line ends and tabs.
std::string sanitize_lines(std::string_view text);

} // namespace warptune
