// Writes values as a pack file, byte for byte the same for the same values: no clock, no random numbers, rows in a
// fixed order. Does not depend on how the values were chosen.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warptune {

// A tuned shape. Kernel, problem, device and toolchain are those of the session. The cubin hash in the result and the
// trials is a program key.
struct PackedShape {
  SessionIdentity session;
  std::string version, started_at, ended_at;
  std::int64_t space_size = 0;
  BestRecord best;
  std::vector<TrialRow> trials; // the trials of the shipped configurations, without samples
};

struct PackContent {
  std::map<std::string, std::string> values; // the table pack
  std::vector<DeviceInfo> devices;           // the devices, one for each backend, name and architecture
  std::vector<KernelRecord> kernels;         // one source per name
  std::vector<PackedShape> shapes;
  std::vector<PackRule> rules;
  std::vector<CubinRecord> cubins; // by program key
};

// Writes a temporary file in the same folder, then renames it; a symbolic link stays a link. Replaces only packs.
// Errors: bad_input for a folder, pipe, device or file that is not a pack; database for a full disk and other write
// errors.
Result<void> write_pack(const std::filesystem::path& path, PackContent content);

// Returns the error that write_pack would give for this path, so that it can be checked before any work is done.
Result<void> check_pack_output(const std::filesystem::path& path);

} // namespace warptune
