// Names for temporary files, which are written next to an output and renamed to it when complete. A name identifies the
// process that writes, so that files left by killed processes can be distinguished from files that are still being
// written.
#pragma once

#include <filesystem>

namespace warptune {

// Returns "TARGET.PROCESS.tmp" for this process; each call returns another path.
std::filesystem::path temporary_path(const std::filesystem::path& target);

// Removes temporary files and folders of `target` whose process has ended. Those of processes on other machines stay,
// because this machine cannot check whether such a process still runs.
void remove_left_behind(const std::filesystem::path& target);

} // namespace warptune
