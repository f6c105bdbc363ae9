// Checks of results (the table checks) as rows, for reader and writer alike. Knows what a check says of a result: since
// when it must not be launched any more. A file from before the table has no checks; a row that cannot be true is
// skipped and counted.
#pragma once

#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune::db {

// A SELECT of (best_id, check_id): results that must not be launched any more, each with the check that says so.
std::string disqualified_query(int schema_version);

// Newest first. Throw SQLite::Exception.
std::vector<CheckRecord> read_checks(Statements& statements, int schema_version, RowId best, std::int64_t& skipped);
// Fills in stale, last_check and disqualified. `disqualifying`: the check of disqualified_query, else the number of
// contradiction_of (contradictions.h), 0 for none.
void attach_checks(Statements& statements, int schema_version, RowId disqualifying, BestRecord& best,
                   std::int64_t& skipped);
// Within a transaction of the caller's. `toolchain` 0: none. Without a time of its own, now.
void insert_check(SQLite::Database& db, CheckRecord check, RowId toolchain);

} // namespace warptune::db
