// The last member of a recording: the SHA-256 of the text without this member. It detects damage that still parses,
// such as a changed digit of a time.
#pragma once

#include <string>

namespace warptune {

// `json`: an object with members; its last character is its closing brace. Returns the text with the checksum member
// and a line end.
std::string with_checksum(const std::string& json);

// Checks a text that ends with the member written by with_checksum. Older recordings, and reformatted ones, have no
// checksum.
enum class Checksum { none, holds, wrong };
Checksum checksum_of(const std::string& text);

} // namespace warptune
