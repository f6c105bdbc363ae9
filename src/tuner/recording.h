// Recording: one exhaustive (or partial) sweep of one problem, measured on a real device, in a compact file (gzip-free JSON
// with columns) with its provenance. `record` writes it from a database; the replay backend answers from it.
#pragma once

#include "core/device.h"
#include "core/problem.h"
#include "core/result.h"
#include "core/trial.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct Recording {
  std::string kernel, source_hash, problem;  // problem: problem_key
  DeviceInfo device;                         // roofs included; uuid left out
  std::string recorded_at, version, strategy;
  bool cold_l2 = true;
  std::vector<std::string> param_names;
  std::vector<Trial> trials;                 // config, status, evidence (shortened), resources, verdict, timing summary, samples
};

Result<Recording> load_recording(const std::filesystem::path& file);
Result<void> save_recording(const Recording& recording, const std::filesystem::path& file); // temp file, rename

// A replay device names a file or a directory; this finds the recording for a kernel and problem. The error lists what exists.
Result<Recording> find_recording(const std::filesystem::path& path, const std::string& kernel, const std::string& problem);

} // namespace warptune
