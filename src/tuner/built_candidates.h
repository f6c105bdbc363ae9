// What a session makes of implementations that are built by a command of the description: they are candidates only
// where the user lets the command run, or where nothing is compiled at all.
#pragma once

#include "core/result.h"
#include "db/reader.h"
#include "jit/builders.h"
#include "space/space.h"
#include "tuner/session_options.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// A recording has the results of all, and runs nothing.
bool is_recorded(const std::string& device);

// With what the compilers call themselves; empty where nothing may run. `stop`: as for find_builders.
Result<Builders> allowed_builders(const Kernel& kernel, const SessionOptions& options,
                                  const std::atomic<bool>* stop = nullptr);

// The space of a session. What is left out of it is said in `notes`.
Result<SearchSpace> session_space(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                                  const SessionOptions& options, std::vector<std::string>& notes);

// Puts the built cubin of a stored result back into the cache, where a worker looks for it. `cache`: as for a session.
Result<void> restore_built(const Reader& reader, const BestRecord& row, const std::filesystem::path& cache);

// For one configuration that runs by itself: what may be built, or else, where `reader` (may be null) has results of
// the configuration, their cubins in the standard cache.
Result<Builders> builders_for_run(const Kernel& kernel, const Config& config, bool allow_build, const Reader* reader);

} // namespace warptune
