// The last member of a recording is a checksum: the SHA-256 of the text without this member. The checksum detects
// damage after which the JSON is still valid, such as a changed digit of a time.
#pragma once

#include <string>

namespace warptune {

// `json`: an object with at least one member, whose closing brace is the last character. Returns the text with the
// checksum member added, and a line end.
std::string with_checksum(const std::string& json);

// The checksum must be where with_checksum writes it. Older recordings and reformatted ones have none.
enum class Checksum { none, holds, wrong };
Checksum checksum_of(const std::string& text);

} // namespace warptune
