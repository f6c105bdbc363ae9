// Recording: a sweep of all (or some) configurations of one problem on a real device, stored in a compact file that
// names its origin. The file is plain JSON in columns and takes 50 to 100 bytes per trial. `record` writes it from a
// database, and the replay backend answers from it.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "core/trial.h"
#include "spec/problem.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// This source_hash equals no real hash. It means that the recorded times were measured with other sources than those of
// the recording's session. An empty source_hash means that the recording was imported.
inline constexpr const char* kSourcesNotKnown = "not known";

struct Recording {
  std::string kernel, source_hash, problem; // problem: a problem_key
  DeviceInfo device;                        // with its roofs, without its uuid
  std::string recorded_at;                  // when the times were measured; empty: not known
  std::string version, strategy;
  bool cold_l2 = true;
  std::vector<std::string> param_names;
  // For each param its labels, in the order of its values; empty for a param without labels. The whole list is empty if
  // no param has labels.
  std::vector<std::vector<std::string>> param_labels;
  std::vector<Trial>
      trials; // each with config, status, evidence (shortened), resources, verdict, timing summary, samples
};

inline constexpr std::size_t kMaxRecordingBytes = std::size_t{256} << 20; // 100 times the largest sweep's size

// Errors (bad_input): the file is missing, truncated, not a recording, from a newer version, or damaged. Each message
// says what to do.
Result<Recording> load_recording(const std::filesystem::path& file);
// Writes a temporary file, then renames it. Times are rounded to five significant digits of the fastest trial's time. A
// trial keeps at most 15 samples; they have evenly spaced ranks, so their distribution stays the same.
Result<void> save_recording(const Recording& recording, const std::filesystem::path& file);

// Returns where and when the times were measured: "NVIDIA H200, 2025-01-31T12:00:00Z".
std::string origin_text(const Recording& recording);

// Returns the text of a value of param_names[param]: its label, or its digits.
std::string param_text(const Recording& recording, std::size_t param, std::int64_t value);

// Like save_recording and load_recording, but for a text in memory. `origin`: the text's name in errors.
std::string write_recording(const Recording& recording);
Result<Recording> parse_recording(const std::string& text, const std::string& origin);

// Finds the recording of a kernel and problem. `path`: the file or directory that the name of a replay device gives.
// The error lists the recordings that exist.
Result<Recording> find_recording(const std::filesystem::path& path, const std::string& kernel,
                                 const std::string& problem);

struct RecordingEntry {
  std::filesystem::path file;
  std::string kernel, problem, device;
};
// Lists the readable recordings at `path` (a file, or the *.json of a directory), sorted by kernel and problem. May be
// empty.
std::vector<RecordingEntry> list_recordings(const std::filesystem::path& path);

// Returns the folder of the shipped recordings: $WARPTUNE_RECORDINGS if it is set; otherwise
// <exe>/../share/warptune/recordings or the source tree of a developer's build, if one exists; otherwise "recordings".
std::filesystem::path recordings_directory();

} // namespace warptune
