// Names for files that are written in an output's folder and renamed to the output when complete. The name identifies
// the writing process, so that leftovers of killed processes can be told from files still being written.
#pragma once

#include <filesystem>

namespace warptune {

// "TARGET.PROCESS.tmp" for this process; a different one with each call.
std::filesystem::path temporary_path(const std::filesystem::path& target);

// Removes such files and folders if their process has ended. Those of other machines stay, because their processes
// cannot be checked.
void remove_left_behind(const std::filesystem::path& target);

} // namespace warptune
