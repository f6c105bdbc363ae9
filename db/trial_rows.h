// Trials as rows, for reader and writer alike. What a database says is not believed: a row with an unknown status, a
// time that is no number or a broken blob is skipped and counted, so one bad row does not cost the others.
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

// Whether it can be what config_text writes: NAME=VALUE, where a value is an integer or a label.
bool is_config_text(std::string_view text);
// "VEC=4,UNROLL=2" -> {4, 2}; nothing when malformed, or when it has labels, which mean nothing without the spec.
std::optional<Config> config_values(const std::string& text);

// In the order measured. Throw SQLite::Exception.
std::vector<StoredTrial> read_trials(SQLite::Database& db, RowId session, std::int64_t& skipped);
// The ids of those that read_trials skips, and of those whose configuration `knows` refuses, if it is given.
using KnowsConfig = std::function<bool(const std::string& config)>;
std::vector<RowId> unreadable_trials(SQLite::Database& db, RowId session, const KnowsConfig& knows = {});
// Within a transaction of the caller's. How many there were; they are gone.
std::int64_t delete_unreadable(SQLite::Database& db, RowId session, const KnowsConfig& knows);
// Nothing when there is one. `recorded_at`: "2025-01-31T12:00:00Z".
void insert_trial(Statements& statements, RowId session, RowId config, const Trial& trial,
                  const std::string& recorded_at);

// A text of up to so many bytes stands in its trial; a longer one is stored once for all trials that share it.
inline constexpr std::size_t kInlineEvidence = 200;
// The row of evidence_texts that holds a long text, made when there is none; 0 for a short one.
RowId shared_evidence(Statements& statements, const std::string& evidence);

} // namespace warptune::db
