// The default file name of a recording. It contains only letters, digits and the characters "-_=.", so that it is one
// path component and needs no quoting.
#pragma once

#include <string>

namespace warptune::cli {

// "softmax__rows=32768-cols=4096-bf16-log=0__NVIDIA-H200.json". A part that is too long is cut and ends with a hash of
// the whole part.
std::string recording_name(const std::string& kernel, const std::string& problem, const std::string& device);

} // namespace warptune::cli
