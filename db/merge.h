// Merging databases of several machines into one. Nothing is lost: sessions are recognised by their uuid and not by
// what they are about, so two measurements of the same thing stay two; where copies of one session say different
// things, the later statement stays in its table and the other goes to the table merge_conflicts. Knows no locks of
// sessions: the caller says who works on what.
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
  bool dry_run = false; // nothing is written but in the folder for temporary files
  // Who works on the session right now ("process 123"); empty: nobody.
  std::function<std::string(const std::filesystem::path& database, RowId session)> holder;
  const std::atomic<bool>* stop = nullptr; // once set, the merge ends soon, and the output is as it was
};

struct MergeConflict {
  std::string kind;      // the table: "trials", "devices", ...
  RowId session = 0;     // in the output; 0: not of one session
  std::string subject;   // a configuration, a device's name, a hash
  std::string file;      // the input that says something else
  bool replaced = false; // the input's word stands in the table now, else the output's
};

struct MergedFile {
  std::filesystem::path file;
  std::int64_t sessions_added = 0, sessions_extended = 0, sessions_known = 0; // known: nothing new in them
  std::int64_t trials_added = 0, kernels_added = 0, devices_added = 0;
  std::int64_t skipped_rows = 0; // not merged, because what they hold cannot be true
};

struct MergeReport {
  std::vector<MergedFile> files; // in the order given
  std::vector<MergeConflict> conflicts;
  std::vector<std::string> notes;
  MergedFile total() const;
};

// Adds all of `inputs` to `output`, which is made where there is none: all of it in one transaction, so that whenever
// the process ends, the output is as before or complete. Inputs are not changed. Errors: bad_input for an input named
// twice or one that is the output; database for whatever open_source and Writer::open refuse, damage, a full disk;
// interrupted for `stop`.
Result<MergeReport> merge_databases(const std::filesystem::path& output,
                                    const std::vector<std::filesystem::path>& inputs, const MergeOptions& options);

} // namespace warptune
