// How a session handles implementations that are built by a command of the kernel folder. Their configurations are
// candidates only if the user allows the command to run, or if the session compiles nothing.
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

// Returns the builders whose commands may run, with the names of their compilers; empty if none may. `stop`: as in
// find_builders.
Result<Builders> allowed_builders(const Kernel& kernel, const SessionOptions& options,
                                  const std::atomic<bool>* stop = nullptr);

// Builds a session's search space. Adds a note if configurations are left out.
Result<SearchSpace> session_space(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                                  const SessionOptions& options, std::vector<std::string>& notes);

// Puts the built cubin of a stored result back into the cache, where a worker will find it. `cache`: the cubin cache,
// as for a session.
Result<void> restore_built(const Reader& reader, const BestRecord& row, const std::filesystem::path& cache);

// Returns the builders for a run of one configuration. If building is not allowed, takes the configuration's stored
// cubins from `reader` (may be null): puts them into the standard cache, and returns their builders.
Result<Builders> builders_for_run(const Kernel& kernel, const Config& config, bool allow_build, const Reader* reader);

} // namespace warptune
