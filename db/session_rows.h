// Sessions and their results as rows, for the reader: the queries' text and the meaning of a row. An implausible row is
// skipped and counted.
#pragma once

#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <string>
#include <vector>

namespace warptune::db {

// Returns "s.objective", or the literal 'time' for files older than selectable objectives.
std::string objective_column(int schema_version);
// Returns a SELECT up to its WHERE: sessions s, kernels k, problems p, devices d, toolchains t.
std::string session_columns(int schema_version);

// Returns a query of results, newest first. The condition may use best b, sessions s, kernels k, and ranked (id,
// place): place 1 is the result to return for a kernel source, problem, device and objective (Reader::best).
// `sessions`: a SELECT of the ids of the sessions to rank, complete for each kernel source, problem and device in it;
// empty: all sessions. `is_whole`: a database, which stores all rows of a session; a pack does not.
std::string best_query(SQLite::Database& db, int schema_version, const std::string& condition,
                       const std::string& sessions, bool is_whole);

// Read the rows of a query that begins with session_columns, and of best_query. Both throw SQLite::Exception.
std::vector<SessionRecord> read_sessions(SQLite::Statement& row, std::int64_t& skipped);
std::vector<BestRecord> read_bests(SQLite::Database& db, int schema_version, SQLite::Statement& row,
                                   std::int64_t& skipped);

// Returns the condition that a session has a given identity: "k.name = ? AND ...". Its parameters must come first in
// the query.
std::string identity_matches(int schema_version);
// Binds the first parameters, those of identity_matches.
void bind_identity(SQLite::Statement& row, const SessionIdentity& identity);

// Inserts a result's row, without its ties and rounds. A reference with number 0 becomes NULL. `id` 0: uses the next
// free id.
void insert_best(Statements& statements, RowId id, RowId session, RowId config, RowId default_config, BestRecord best);
void insert_round(Statements& statements, RowId best, std::int64_t position, const FinalRound& round);

} // namespace warptune::db
