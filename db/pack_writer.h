// Writes values as a pack. Equal values give byte for byte equal files: the writer uses no clock and no random numbers,
// and rows have a fixed order. Independent of how the values were chosen.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warptune {

// A tuned shape. `session` names the shape's kernel, problem, device and toolchain. In the result and the trials,
// cubin_hash is a program_key.
struct PackedShape {
  SessionIdentity session;
  std::string version, started_at, ended_at;
  std::int64_t space_size = 0;
  BestRecord best;
  std::vector<TrialRow> trials; // trials of the shipped configurations, without samples
};

struct PackContent {
  std::map<std::string, std::string> values; // the table `pack`
  std::vector<DeviceInfo> devices;           // one per backend, name and architecture
  std::vector<KernelRecord> kernels;         // one source per name
  std::vector<PackedShape> shapes;
  std::vector<PackRule> rules;
  std::vector<CubinRecord> cubins; // sorted by program_key
};

// Writes a temporary file in the same folder, and renames it; a symbolic link stays a link. Replaces only packs.
// Errors: bad_input for a folder, a pipe, a device, or a file that is not a pack; internal for a full disk; database
// for other errors of SQLite.
Result<void> write_pack(const std::filesystem::path& path, PackContent content);

// Returns the error that write_pack would return for this path. Call this function before the work, so that the error
// is found early.
Result<void> check_pack_output(const std::filesystem::path& path);

} // namespace warptune
