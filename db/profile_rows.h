// Reads and writes a trial's findings besides its times: counters (tables profiles, counters, metrics), energy (power)
// and instruction samples (source_samples). Identifies trials only by id.
#pragma once

#include "core/trial.h"
#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <map>

namespace warptune::db {

// Adds the findings to the trials of a session, by id; findings of other trials are ignored. An implausible row is
// skipped and counted. Throws SQLite::Exception.
void read_profiles(SQLite::Database& db, RowId session, const std::map<RowId, Trial*>& trials, std::int64_t& skipped);

// Call it within a transaction. Replaces earlier findings; counters are replaced by name, so others stay.
void put_profile(Statements& statements, RowId trial, const Profile& profile);
void put_power(Statements& statements, RowId trial, const PowerReading& power);
void put_samples(Statements& statements, RowId trial, const std::string& content);

} // namespace warptune::db
