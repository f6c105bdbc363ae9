// Makes text from outside (a database, a recording, a user's folder, a compiler's log) safe to print. The result cannot
// move the cursor, change colours or reorder text. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// For text on one line. Makes control characters, escape sequences, bidirectional overrides and invalid UTF-8 bytes
// visible, as \x1b or \n.
std::string sanitize(std::string_view text);
// Like sanitize, but keeps line ends and tabs, for logs.
std::string sanitize_lines(std::string_view text);

} // namespace warptune
