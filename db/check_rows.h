// Reads and writes the checks of results (table `checks`), and finds the results that must not be launched because of a
// check. A file older than this table has no checks; an implausible row is skipped and counted.
#pragma once

#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune::db {

// Returns a SELECT of (best_id, check_id): the results that must not be launched, each with the check that found this.
std::string disqualified_query(int schema_version);

// Returns checks, newest first. The functions below throw SQLite::Exception.
std::vector<CheckRecord> read_checks(Statements& statements, int schema_version, RowId best, std::int64_t& skipped);
// Sets stale, last_check and disqualified. `disqualifying`: the check from disqualified_query, otherwise the number
// from contradiction_of (contradictions.h); 0 for none.
void attach_checks(Statements& statements, int schema_version, RowId disqualifying, BestRecord& best,
                   std::int64_t& skipped);
// Call it within a transaction. `toolchain` 0: none. A check without a time gets the current time.
void insert_check(SQLite::Database& db, CheckRecord check, RowId toolchain);

} // namespace warptune::db
