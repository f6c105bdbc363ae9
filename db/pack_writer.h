// Values -> the file of a pack, byte for byte the same for the same values: no clock, no random number, rows in a fixed
// order. Knows nothing of how the values were chosen.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warptune {

// A tuned shape. The session supplies its kernel, problem, device and toolchain. The cubin hashes of the result and of
// the trials are program keys.
struct PackedShape {
  SessionIdentity session;
  std::string version, started_at, ended_at;
  std::int64_t space_size = 0;
  BestRecord best;
  std::vector<TrialRow> trials; // of the shipped configurations; without samples
};

struct PackContent {
  std::map<std::string, std::string> values; // the table pack
  std::vector<DeviceInfo> devices;           // by backend, name and architecture
  std::vector<KernelRecord> kernels;         // one source per name
  std::vector<PackedShape> shapes;
  std::vector<PackRule> rules;
  std::vector<CubinRecord> cubins; // by program key
};

// Writes a temporary file in the same folder, then renames it; a link stays a link. Replaces only a pack. Errors:
// bad_input for a folder, a pipe, a device or a file that is not a pack; database for a full disk and other write
// errors.
Result<void> write_pack(const std::filesystem::path& path, PackContent content);

// The errors of write_pack for this path, to be checked before any work is done for it.
Result<void> check_pack_output(const std::filesystem::path& path);

} // namespace warptune
