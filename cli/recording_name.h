// The default name of a recording's file. It has only letters, digits and the characters "-_=.", so it is one path
// component and needs no quotes.
#pragma once

#include <string>

namespace warptune::cli {

// Returns "softmax__rows=32768-cols=4096-bf16-log=0__NVIDIA-H200.json". A part that is too long is cut, and ends with a
// hash of the whole part.
std::string recording_name(const std::string& kernel, const std::string& problem, const std::string& device);

} // namespace warptune::cli
