// Converts a database's rows to a dispatcher's entries (predict/select.h): the best configurations of one kernel
// source. `explain`, `run` and the runtime library all choose from these entries.
#pragma once

#include "db/reader.h"
#include "db/stored_kernel.h"
#include "db/stored_values.h"
#include "predict/select.h"
#include "spec/spec.h"

#include <string>
#include <vector>

namespace warptune {

// A result whose strings are converted to values.
struct TunedValues {
  Problem problem;
  Config config;
};
Result<TunedValues> tuned_values(const BestRecord& row, StoredValues& values);

struct TunedEntries {
  std::vector<TunedEntry> entries;
  std::vector<std::string> notes; // sentences for the user: which rows were left out and why
};

// Rows that were tuned from another source, or that this spec cannot read, are left out with a note. Rows tuned for
// energy are used only if the problem and device have no row tuned for time. Rows from before implementations had names
// (spec/former_config.h) are used if the problem and device have no newer row; their `standing` says so. `source_hash`
// empty: any.
Result<TunedEntries> load_tuned_entries(const Reader& reader, const KernelSpec& spec, const std::string& source_hash);
// The same for one problem's results, without reading others. If the kernel has list dims, returns the results of all
// problems, because the same list can be written as several texts.
Result<TunedEntries> load_entries_of_problem(const Reader& reader, const KernelSpec& spec,
                                             const std::string& source_hash, const Problem& problem);
// The same for rows already read from `reader`. If the best configuration of a problem calls libraries, which an
// application may forbid, an entry without a row follows it: the fastest of the same session without library calls.
Result<TunedEntries> make_tuned_entries(const Reader& reader, const std::vector<BestRecord>& rows,
                                        const KernelSpec& spec, const std::string& source_hash);

// "slower than default"; for a result from a recording "holds (recorded, not timed)", because its re-check only re-read
// the recording.
std::string check_text(const BestRecord& row, CheckStatus status);

// "stale: driver 580.1 then, 590.2 now; last re-checked 2026-01-02: holds", or empty.
std::string standing_text(const BestRecord& row);

} // namespace warptune
