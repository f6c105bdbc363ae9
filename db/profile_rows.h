// Reads and writes what is stored with a trial besides its times: counters (tables profiles, counters, metrics), energy
// (power) and instruction samples (source_samples). Trials are identified only by id.
#pragma once

#include "core/trial.h"
#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <map>

namespace warptune::db {

// Adds a session's counters and energy to `trials`, which are keyed by id; ignores the data of other trials. An
// implausible row is skipped and counted. Throws SQLite::Exception.
void read_profiles(SQLite::Database& db, RowId session, const std::map<RowId, Trial*>& trials, std::int64_t& skipped);

// Call these within a transaction. They replace what was stored before; counters are replaced by name, so other
// counters stay.
void put_profile(Statements& statements, RowId trial, const Profile& profile);
void put_power(Statements& statements, RowId trial, const PowerReading& power);
void put_samples(Statements& statements, RowId trial, const std::string& content);

} // namespace warptune::db
