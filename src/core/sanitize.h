// Text from outside (a database, a recording, a user's folder, a compiler's log) on its way to a person: nothing in it
// may move a cursor, change colours or reorder what is read. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// One line: control characters, escape sequences, bidirectional overrides and bytes that are not UTF-8 become visible
// (\x1b, \n).
std::string sanitize(std::string_view text);
// The same, but line ends and tabs stay: for logs.
std::string sanitize_lines(std::string_view text);

} // namespace warptune
