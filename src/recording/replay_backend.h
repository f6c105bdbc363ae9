// The replay Backend: answers from a recorded sweep instead of a device, in the same worker processes, so that the
// whole engine runs where no GPU is. Times are the recorded ones; finals resample the recorded samples,
// deterministically by seed.
#pragma once

#include "core/result.h"
#include "worker/backend.h"

#include <filesystem>
#include <memory>

namespace warptune {

// What a verdict of a replay says of itself: nothing was run. In the second case the kernel's sources changed since, so
// the recorded times and verdicts are of another program.
inline constexpr const char* kRecorded = "recorded";
inline constexpr const char* kRecordedOfOtherSources = "recorded of other sources";

// `path`: a recording or a directory of them. What it holds is looked at when a kernel is set.
Result<std::unique_ptr<Backend>> make_replay_backend(const std::filesystem::path& path);

} // namespace warptune
