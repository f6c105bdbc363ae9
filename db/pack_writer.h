// Values -> the file of a pack, byte for byte the same for the same values: no clock, no random number, rows in a fixed
// order. Knows nothing of how they were chosen.
#pragma once

#include "core/result.h"
#include "db/reader.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warptune {

// A tuned shape: the session stands for its kernel, problem, device and toolchain; the best's cubin_hash and those of
// the trials are program keys.
struct PackedShape {
  SessionIdentity session;
  std::string version, started_at, ended_at;
  std::int64_t space_size = 0;
  BestRecord best;
  std::vector<TrialRow> trials; // of the configurations that ship; without samples
};

struct PackContent {
  std::map<std::string, std::string> values; // the table pack
  std::vector<DeviceInfo> devices;           // by backend, name and architecture
  std::vector<KernelRecord> kernels;         // one source of each name
  std::vector<PackedShape> shapes;
  std::vector<PackRule> rules;
  std::vector<CubinRecord> cubins; // by program key
};

// In a temporary file beside it, then renamed; a link stays one. Replaces a pack, and nothing else. Errors: bad_input
// for a folder, a pipe, a device or a file that is no pack; database for a full disk and what else cannot be written.
Result<void> write_pack(const std::filesystem::path& path, PackContent content);

// What write_pack would refuse about this path, before any work is done for it.
Result<void> check_pack_output(const std::filesystem::path& path);

} // namespace warptune
