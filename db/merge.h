// Merges databases of several machines into one. Nothing is lost. Sessions are identified by uuid, not by subject, so
// two measurements of one problem stay two sessions. If copies of one session differ, the later version stays in its
// table and the other moves to the table merge_conflicts. Takes no session locks: the caller says which process works
// on which session.
#pragma once

#include "core/result.h"
#include "db/records.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace warptune {

struct MergeOptions {
  bool dry_run = false; // writes nothing, except in the folder for temporary files
  // Returns the process that is working on the session ("process 123"); empty: none.
  std::function<std::string(const std::filesystem::path& database, RowId session)> holder;
  const std::atomic<bool>* stop = nullptr; // once set, the merge ends soon, and the output is unchanged
};

struct MergeConflict {
  std::string kind;      // the table: "trials", "devices", ...
  RowId session = 0;     // the session's id in the output; 0: the row is not part of a session
  std::string subject;   // a configuration, a device's name, a hash
  std::string file;      // the input that differs
  bool replaced = false; // true: the table now has the input's version, otherwise the output's
};

struct MergedFile {
  std::filesystem::path file;
  std::int64_t sessions_added = 0, sessions_extended = 0,
               sessions_known = 0; // known: the input has nothing new of them
  std::int64_t trials_added = 0, kernels_added = 0, devices_added = 0;
  std::int64_t skipped_rows = 0; // rows that were not merged, because their values are implausible
};

struct MergeReport {
  std::vector<MergedFile> files; // in the order given
  std::vector<MergeConflict> conflicts;
  std::vector<std::string> notes;
  MergedFile total() const;
};

// Adds all `inputs` to `output`, which is created if missing, in one transaction: however the process ends, the output
// is unchanged or complete. Inputs are not changed. Errors: bad_input for an input named twice or equal to the output;
// database for anything that open_source or Writer::open refuses, damage, or a full disk; interrupted for `stop`.
Result<MergeReport> merge_databases(const std::filesystem::path& output,
                                    const std::vector<std::filesystem::path>& inputs, const MergeOptions& options);

} // namespace warptune
