// Converts a database's rows to the entries from which select() chooses (predict/select.h): the best configurations of
// one kernel source. `explain`, `run` and the runtime library all choose from these entries.
#pragma once

#include "db/reader.h"
#include "db/stored_kernel.h"
#include "db/stored_values.h"
#include "predict/select.h"
#include "spec/spec.h"

#include <string>
#include <vector>

namespace warptune {

// A result's problem and configuration as values.
struct TunedValues {
  Problem problem;
  Config config;
};
Result<TunedValues> tuned_values(const BestRecord& row, StoredValues& values);

struct TunedEntries {
  std::vector<TunedEntry> entries;
  std::vector<std::string> notes; // sentences for the user: which rows were left out, and why
};

// Leaves out, with a note, rows that were tuned from other sources or that the spec cannot read. Uses a row tuned for
// energy only if no row is tuned for time on the same problem and device. Uses a row from before implementations had
// names (spec/former_config.h) only if its problem and device have no newer row; the entry's `standing` then names this
// reason. `source_hash`: empty means any.
Result<TunedEntries> load_tuned_entries(const Reader& reader, const KernelSpec& spec, const std::string& source_hash);
// Loads the entries of one problem's results, without reading others. If the kernel has list dims, returns the results
// of all problems, because different texts may stand for the same list.
Result<TunedEntries> load_entries_of_problem(const Reader& reader, const KernelSpec& spec,
                                             const std::string& source_hash, const Problem& problem);
// Makes the entries from rows that were already read from `reader`. If the best configuration of a problem calls
// libraries, another entry follows it, because an application may forbid such calls. This entry has no row. Its
// configuration is the session's fastest one that calls no library.
Result<TunedEntries> make_tuned_entries(const Reader& reader, const std::vector<BestRecord>& rows,
                                        const KernelSpec& spec, const std::string& source_hash);

// Returns "slower than default" and the like. For a result from a recording, "holds" becomes "holds (recorded, not
// timed)", because its re-check only read the recording again.
std::string check_text(const BestRecord& row, CheckStatus status);

// Returns "stale: driver 580.1 then, 590.2 now; last re-checked 2026-01-02: holds" or the like; empty: nothing to
// report.
std::string standing_text(const BestRecord& row);

} // namespace warptune
