// Names for what is written beside an output and renamed into its place when it is whole. They name the process that
// writes, so what a killed one left can be told from what another one is at work on.
#pragma once

#include <filesystem>

namespace warptune {

// "TARGET.PROCESS.tmp" of this process, another one with each call.
std::filesystem::path temporary_path(const std::filesystem::path& target);

// Removes files and folders of such names whose process has ended. Those of other machines stay: none here can know
// about their processes.
void remove_left_behind(const std::filesystem::path& target);

} // namespace warptune
