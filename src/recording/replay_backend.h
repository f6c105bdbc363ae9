// The replay Backend: takes results from a recorded sweep instead of a device, in the same worker processes, so that
// the whole engine runs without a GPU. Times are the recorded ones; finals resample the recorded samples,
// deterministically by seed.
#pragma once

#include "core/result.h"
#include "worker/backend.h"

#include <filesystem>
#include <memory>

namespace warptune {

// Marks a replayed verdict: nothing was run. The second mark means that the kernel's sources have changed since the
// recording, so its times and verdicts belong to another program; the third, that the recording does not name them.
inline constexpr const char* kRecorded = "recorded";
inline constexpr const char* kRecordedOfOtherSources = "recorded with other sources";
inline constexpr const char* kRecordedOfUnknownSources = "recorded with unknown sources";

// `path`: a recording or a directory of recordings. It is read when a kernel is set.
Result<std::unique_ptr<Backend>> make_replay_backend(const std::filesystem::path& path);

} // namespace warptune
