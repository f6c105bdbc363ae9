// The kernel folders that `capture` writes, one for each captured kernel whose source is known.
#pragma once

#include "capture/records.h"
#include "core/result.h"

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace warptune::cli {

struct WrittenFolder {
  std::string kernel, why_not, shape; // why_not is empty if `path` was written
  std::filesystem::path path;
  DeviceTimes times;
  std::size_t launches = 0; // distinct launches
  std::vector<std::string> notes;
};

// Writes the folders into `top`. `arch`: the architecture for which the kernels are compiled, to read their signatures.
Result<std::vector<WrittenFolder>> write_captured_folders(const CaptureRecords& records,
                                                          const std::filesystem::path& top, const std::string& arch);

nlohmann::json folders_json(const std::vector<WrittenFolder>& folders);
void print_folders(const std::vector<WrittenFolder>& folders);

} // namespace warptune::cli
