// Recording: one exhaustive (or partial) sweep of one problem, measured on a real device, in a compact file (plain JSON
// with columns, 50 to 100 bytes a trial) with its provenance. `record` writes it from a database; the replay backend
// answers from it.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "core/trial.h"
#include "spec/problem.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

// The source_hash of a recording whose times are of other sources than those of the session that it was made from:
// equal to none. Empty: it was imported.
inline constexpr const char* kSourcesNotKnown = "not known";

struct Recording {
  std::string kernel, source_hash, problem; // problem: problem_key
  DeviceInfo device;                        // roofs included; uuid left out
  std::string recorded_at, version, strategy;
  bool cold_l2 = true;
  std::vector<std::string> param_names;
  // Where a param has labels (else empty, as is the whole list without any): the texts that its values are places of.
  std::vector<std::vector<std::string>> param_labels;
  std::vector<Trial> trials; // config, status, evidence (shortened), resources, verdict, timing summary, samples
};

inline constexpr std::size_t kMaxRecordingBytes = std::size_t{256} << 20; // a hundred times the largest sweep

// Errors (kind bad_input): missing, truncated, not a recording, made by a newer version, damaged; each says what to do.
Result<Recording> load_recording(const std::filesystem::path& file);
// Temporary file, then rename. Times keep five significant digits of the fastest trial, and a trial at most 15 samples:
// those at even ranks, so that they keep the distribution.
Result<void> save_recording(const Recording& recording, const std::filesystem::path& file);

// The text of a value of param_names[param]: a label or digits.
std::string param_text(const Recording& recording, std::size_t param, std::int64_t value);

// The same as text, for whoever holds it in memory. `origin` names it in errors.
std::string write_recording(const Recording& recording);
Result<Recording> parse_recording(const std::string& text, const std::string& origin);

// A replay device names a file or a directory; this finds the recording for a kernel and problem. The error lists what
// exists.
Result<Recording> find_recording(const std::filesystem::path& path, const std::string& kernel,
                                 const std::string& problem);

struct RecordingEntry {
  std::filesystem::path file;
  std::string kernel, problem, device;
};
// The readable recordings at `path` (a file, or a directory's *.json), by kernel and problem. Empty when there are
// none.
std::vector<RecordingEntry> list_recordings(const std::filesystem::path& path);

// Where the shipped recordings lie: $WARPTUNE_RECORDINGS, <exe>/../share/warptune/recordings, the source tree of a
// developer's build. The first that exists, else "recordings".
std::filesystem::path recordings_directory();

} // namespace warptune
