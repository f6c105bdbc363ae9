// The replay backend (`Backend`): takes results from a recorded sweep in place of a device. It runs in the usual worker
// processes, so the whole engine can run without a GPU. Times are the recorded times. The finals draw from the recorded
// samples; the seed determines which samples.
#pragma once

#include "core/result.h"
#include "worker/backend.h"

#include <filesystem>
#include <memory>

namespace warptune {

// The texts for the `detail` of a replayed verdict, for which nothing was run. The second text means that the kernel's
// sources have changed since the recording, so that its times and verdicts are those of other code. The third text
// means that the recording does not state from which sources it was made.
inline constexpr const char* kRecorded = "recorded";
inline constexpr const char* kRecordedOfOtherSources = "recorded with other sources";
inline constexpr const char* kRecordedOfUnknownSources = "recorded with unknown sources";

// `path`: a recording, or a directory of recordings. A kernel's recording is read when the kernel is set.
Result<std::unique_ptr<Backend>> make_replay_backend(const std::filesystem::path& path);

} // namespace warptune
