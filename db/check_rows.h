// Reads and writes re-checks of results (table `checks`), and finds results that must not be launched because of a
// check. A file that was written before this table existed has no checks. An implausible row is skipped and counted.
#pragma once

#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdint>
#include <string>
#include <vector>

namespace warptune::db {

// Returns a SELECT of (best_id, check_id): each result that must not be launched, and the check that found this.
std::string disqualified_query(int schema_version);

// Returns the checks of a result, newest first. This function and those below throw SQLite::Exception.
std::vector<CheckRecord> read_checks(Statements& statements, int schema_version, RowId best, std::int64_t& skipped);
// Sets best.stale, last_check and disqualified. `disqualifying`: the check from disqualified_query; if there is none,
// the number from contradiction_of (contradictions.h); 0: the result is not disqualified.
void attach_checks(Statements& statements, int schema_version, RowId disqualifying, BestRecord& best,
                   std::int64_t& skipped);
// Call this function within a transaction. `toolchain`: 0 if there is none. A check without a time gets the current
// time.
void insert_check(SQLite::Database& db, CheckRecord check, RowId toolchain);

} // namespace warptune::db
