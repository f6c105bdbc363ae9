// Merges databases from several machines into one, without losing anything. Sessions are identified by uuid and not by
// what they measured, so two measurements of one problem stay two sessions. If two copies of one session differ, the
// newer version of each row stays in the row's table. The other version moves to the table merge_conflicts. The merge
// does not lock sessions; the caller says which process is working on a session.
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
  bool dry_run = false; // write nothing except temporary files
  // Returns the process that is working on a session ("process 123"); empty: none.
  std::function<std::string(const std::filesystem::path& database, RowId session)> holder;
  const std::atomic<bool>* stop = nullptr; // when it is set, the merge ends soon, and the output stays as it was
};

struct MergeConflict {
  std::string kind;      // a table: "trials", "devices", ...
  RowId session = 0;     // the session's id in the output; 0: the row does not belong to a session
  std::string subject;   // a configuration, the name of a device, or a hash
  std::string file;      // the input that differs from the output
  bool replaced = false; // whether the table now has the input's version; if not, it has the output's
};

struct MergedFile {
  std::filesystem::path file;
  std::int64_t sessions_added = 0, sessions_extended = 0,
               sessions_known = 0; // known: the input has nothing new about the session
  std::int64_t trials_added = 0, kernels_added = 0, devices_added = 0;
  std::int64_t skipped_rows = 0; // rows that were not merged because their values are implausible
};

struct MergeReport {
  std::vector<MergedFile> files; // in the order of the inputs
  std::vector<MergeConflict> conflicts;
  std::vector<std::string> notes;
  MergedFile total() const;
};

// Adds all `inputs` to `output`, which is created if it does not exist. The whole merge is one transaction: however the
// process ends, the output is either unchanged or complete. Inputs are never changed. Errors: bad_input if an input is
// named twice or is the output; database if open_source or Writer::open refuses a file, if a file is damaged, or if the
// disk is full; interrupted if `stop` was set.
Result<MergeReport> merge_databases(const std::filesystem::path& output,
                                    const std::vector<std::filesystem::path>& inputs, const MergeOptions& options);

} // namespace warptune
