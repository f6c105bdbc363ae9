// The last member of a recording: the SHA-256 of the text without it. A damaged byte of a time would go unnoticed.
#pragma once

#include <string>

namespace warptune {

// `json`: an object with members, in one line; with the member and a line end behind it.
std::string with_checksum(const std::string& json);

// False: the text ends as with_checksum ends it, and says another sum. Older recordings, and those that were formatted
// anew, have none.
bool is_as_written(const std::string& text);

} // namespace warptune
