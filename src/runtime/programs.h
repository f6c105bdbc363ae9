// Compile request -> loaded kernels -> launch sequence: takes the cubin from the database, else from the cubin cache,
// else compiles it. Loaded programs are shared by all operations of the process that need them in one context.
#pragma once

#include "core/plan.h"
#include "db/records.h"
#include "gpu/launch.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace warptune {

struct ProgramRequest {
  const LaunchPlan& plan;
  std::string arch;          // of the device
  std::uint64_t context = 0; // id of the current context
  std::string stored_hash;   // a cubin in the database that is this program; may be empty
  std::function<Result<std::optional<CubinRecord>>(const std::string& hash)> find_stored;
};

// In the current context. `buffers` as in LaunchSequence::make. Kind no_candidate when the kernel does not compile.
Result<LaunchSequence> make_sequence(const Driver& driver, const ProgramRequest& request,
                                     std::span<const CUdeviceptr> buffers);

} // namespace warptune
