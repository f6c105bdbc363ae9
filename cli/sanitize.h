// Text from outside (a database, a recording, a user's folder, a compiler's log) on its way to a terminal: nothing in
// it may move the cursor, change colours or reorder what is read.
#pragma once

#include <string>
#include <string_view>

namespace warptune::cli {

// One line: control characters, escape sequences, bidirectional overrides and bytes that are not UTF-8 become visible
// (\x1b).
std::string sanitize(std::string_view text);
// The same, but line ends and tabs stay: for logs.
std::string sanitize_lines(std::string_view text);

// The first line that is not blank, as it is.
std::string first_line(const std::string& text);

} // namespace warptune::cli
