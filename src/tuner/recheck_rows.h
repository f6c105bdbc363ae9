// Many stored results looked at again, one after the other: which of them, in what order, and each finding written to
// the database the moment it is there. Behind `warptune verify`. Knows rows and marks; what a single look is stands in
// recheck.h.
#pragma once

#include "core/result.h"
#include "db/records.h"
#include "tuner/recheck.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// How many of the results: "20" or "10%" (at least one).
struct Sample {
  std::int64_t amount = 0;
  bool is_percent = false;
};
Result<Sample> parse_sample(const std::string& text);

// `amount` of `rows` drawn at random, in their order; all of them when there are no more. The same seed draws the same.
std::vector<BestRecord> draw_sample(const std::vector<BestRecord>& rows, const Sample& sample, std::uint64_t seed);

struct RowReport {
  BestRecord row;
  CheckRecord check;
  bool marked = false; // the check is in the database
  // Why it could not be looked at on the device; then the check says only what is stale.
  std::optional<Error> error;
  std::string note; // a sentence, or empty: it ran on another device of the same name
  // Nothing speaks against the row: it holds, or it was not timed and nothing has changed.
  bool is_fine() const;
};

struct RecheckRun {
  std::vector<RowReport> rows; // those that were finished, in the order given
  bool stopped = false;
};

// The source hash of the row's kernel in its folder today; empty when no folder is known.
using SourceNow = std::function<std::string(const BestRecord&)>;

// Without a device (options.device empty) nothing is timed: what has changed is said as far as it can be known here
// (sources, compiler, warptune), and stored where something has. A row that the device cannot take is its report's
// error, and the others go on. Error: the database cannot be read or written.
Result<RecheckRun> recheck_rows(const std::vector<BestRecord>& rows, const std::filesystem::path& database,
                                const SourceNow& source_now, const RecheckOptions& options,
                                const std::function<void(const RowReport&)>& after_row, const std::atomic<bool>& stop);

} // namespace warptune
