// Reads and writes trials. A database is not trusted: a row with an unknown status, an invalid time or a broken blob is
// skipped and counted. The other rows are still read.
#pragma once

#include "core/trial.h"
#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::db {

struct StoredTrial {
  Trial trial;
  std::string config;
};

// Whether config_text can write this text: a list of NAME=VALUE, where a value is an integer or a label.
bool is_config_text(std::string_view text);
// "VEC=4,UNROLL=2" -> {4, 2}; nullopt if the text is malformed or has labels, which only the spec can convert.
std::optional<Config> config_values(const std::string& text);

// Returns the trials in the order of measurement. This function and those below throw SQLite::Exception.
std::vector<StoredTrial> read_trials(SQLite::Database& db, RowId session, std::int64_t& skipped);
// Returns the ids of the trials that read_trials skips. If `knows` is given, also returns the ids of trials whose
// configuration `knows` rejects.
using KnowsConfig = std::function<bool(const std::string& config)>;
std::vector<RowId> unreadable_trials(SQLite::Database& db, RowId session, const KnowsConfig& knows = {});
// Call this function within a transaction. Deletes the trials that unreadable_trials returns, and returns how many
// there were.
std::int64_t delete_unreadable(SQLite::Database& db, RowId session, const KnowsConfig& knows);
// Call this function within a transaction. Does nothing if the trial exists. `recorded_at`: "2025-01-31T12:00:00Z".
void insert_trial(Statements& statements, RowId session, RowId config, const Trial& trial,
                  const std::string& recorded_at);

// A text of up to this many bytes is stored with its trial. A longer one is stored once, for all trials that have it.
inline constexpr std::size_t kInlineEvidence = 200;
// For a long text, returns the id of its row in evidence_texts, and inserts the row if it is missing. Returns 0 for a
// short text.
RowId shared_evidence(Statements& statements, const std::string& evidence);

} // namespace warptune::db
