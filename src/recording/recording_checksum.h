// The last member of a recording: the SHA-256 of the text without it. A damaged byte of a time would go unnoticed.
#pragma once

#include <string>

namespace warptune {

// `json`: an object with members, which ends with its brace; with the member and a line end behind it.
std::string with_checksum(const std::string& json);

// Of a text that ends as with_checksum ends it. Older recordings, and those that were formatted anew, have none.
enum class Checksum { none, holds, wrong };
Checksum checksum_of(const std::string& text);

} // namespace warptune
