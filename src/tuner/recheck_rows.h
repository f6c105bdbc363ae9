// Re-checks many stored results, one after another, and writes each finding to the database at once. `warptune recheck`
// uses this code. recheck.h checks a single result.
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

// How many results to check: a number ("20") or a share ("10%", but at least one result).
struct Sample {
  std::int64_t amount = 0;
  bool is_percent = false;
};
Result<Sample> parse_sample(const std::string& text);

// Returns a random sample of `rows` in their order. If there are too few rows, returns all of them. The same seed gives
// the same sample.
std::vector<BestRecord> draw_sample(const std::vector<BestRecord>& rows, const Sample& sample, std::uint64_t seed);

struct RowReport {
  BestRecord row;
  CheckRecord check;
  bool marked = false; // whether the check was stored in the database
  // Why the result could not be checked on the device. The check then only says what has changed.
  std::optional<Error> error;
  std::string note; // a sentence, such as "it was tuned on another NVIDIA H200 (...)"; may be empty
  // Whether the row is still good: its time still holds, or it was not timed and nothing has changed.
  bool is_fine() const;
};

struct RecheckRun {
  std::vector<RowReport> rows; // reports of the rows that were finished, in the given order
  bool stopped = false;
};

// Returns the present source hash of the row's kernel folder; empty if no folder is known.
using SourceNow = std::function<std::string(const BestRecord&)>;

// Without a device (options.device is empty), this function times nothing. It reports changes of sources, compiler and
// warptune, and stores only reports with changes. If the device cannot run a row, that row's report has the error, and
// the other rows continue. Error: the database cannot be read or written.
Result<RecheckRun> recheck_rows(const std::vector<BestRecord>& rows, const std::filesystem::path& database,
                                const SourceNow& source_now, const RecheckOptions& options,
                                const std::function<void(const RowReport&)>& after_row, const std::atomic<bool>& stop);

} // namespace warptune
