// Recording: one exhaustive (or partial) sweep of one problem, measured on a real device, in a compact file (plain JSON
// with columns, 50 to 100 bytes per trial) with its provenance. `record` writes it from a database; the replay backend
// reads results from it.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "core/trial.h"
#include "spec/problem.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// The source_hash of a recording whose times were measured with other sources than its session's; it equals no hash. An
// empty source_hash means that the recording was imported.
inline constexpr const char* kSourcesNotKnown = "not known";

struct Recording {
  std::string kernel, source_hash, problem; // problem: its problem_key
  DeviceInfo device;                        // including roofs, without uuid
  std::string recorded_at;                  // when the times were measured; empty: unknown
  std::string version, strategy;
  bool cold_l2 = true;
  std::vector<std::string> param_names;
  // The strings of a labelled param by value; empty for other params. The whole list is empty if no param has
  // labels.
  std::vector<std::vector<std::string>> param_labels;
  std::vector<Trial> trials; // config, status, evidence (shortened), resources, verdict, timing summary, samples
};

inline constexpr std::size_t kMaxRecordingBytes = std::size_t{256} << 20; // a hundred times the largest sweep

// Errors (kind bad_input): missing, truncated, not a recording, made by a newer version, damaged; each error says what
// to do.
Result<Recording> load_recording(const std::filesystem::path& file);
// Writes a temporary file, then renames it. Times keep five significant digits of the fastest trial. A trial keeps at
// most 15 samples at evenly spaced ranks, which preserve the distribution.
Result<void> save_recording(const Recording& recording, const std::filesystem::path& file);

// "NVIDIA H200, 2025-01-31T12:00:00Z": where and when the times were measured.
std::string origin_text(const Recording& recording);

// Returns the text for a value of param_names[param]: a label or digits.
std::string param_text(const Recording& recording, std::size_t param, std::int64_t value);

// Like save_recording and load_recording, for a text in memory. `origin` names the text in errors.
std::string write_recording(const Recording& recording);
Result<Recording> parse_recording(const std::string& text, const std::string& origin);

// Finds the recording for a kernel and problem at the file or directory that a replay device names. The error lists the
// existing recordings.
Result<Recording> find_recording(const std::filesystem::path& path, const std::string& kernel,
                                 const std::string& problem);

struct RecordingEntry {
  std::filesystem::path file;
  std::string kernel, problem, device;
};
// Lists the readable recordings at `path` (a file, or a directory's *.json), by kernel and problem. May be empty.
std::vector<RecordingEntry> list_recordings(const std::filesystem::path& path);

// Returns the folder of the shipped recordings: $WARPTUNE_RECORDINGS if it is set; otherwise the first that exists of
// <exe>/../share/warptune/recordings and the source tree of a developer's build; otherwise "recordings".
std::filesystem::path recordings_directory();

} // namespace warptune
