// What was found of a trial beside its times, as rows: counters (profiles, counters, metrics) and energy (power). For
// reader and writer alike; knows no trials but by their ids.
#pragma once

#include "core/trial.h"
#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <map>

namespace warptune::db {

// Into the trials of a session, by id; those that are not there are passed over. A row that cannot be true is skipped
// and counted. Throws SQLite::Exception.
void read_profiles(SQLite::Database& db, RowId session, const std::map<RowId, Trial*>& trials, std::int64_t& skipped);

// Within a transaction of the caller's, in place of what there was: counters by name, so that others stay.
void put_profile(Statements& statements, RowId trial, const Profile& profile);
void put_power(Statements& statements, RowId trial, const PowerReading& power);

} // namespace warptune::db
