// Sessions and results as rows, for the reader: the texts of the queries, and how a row is read. An implausible row is
// skipped and counted.
#pragma once

#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <string>
#include <vector>

namespace warptune::db {

// Returns "s.objective", or the literal 'time' for files that were written before sessions had an objective.
std::string objective_column(int schema_version);
// Returns a SELECT up to its WHERE. Aliases: sessions s, kernels k, problems p, devices d, toolchains t.
std::string session_columns(int schema_version);

// Returns a query of results, newest first. `condition` may use the aliases best b, sessions s and kernels k, and the
// table ranked(id, place). Place 1 is the result that Reader::best returns for a kernel source, problem, device and
// objective. `sessions`: a SELECT of the ids of the sessions to rank; empty: all sessions. If the SELECT returns a
// session, it must return all sessions with the same kernel source, problem and device. `is_whole`: true for a
// database, which has all rows of a session; false for a pack.
std::string best_query(SQLite::Database& db, int schema_version, const std::string& condition,
                       const std::string& sessions, bool is_whole);

// read_sessions reads the rows of a query that begins with session_columns; read_bests reads those of best_query. Both
// throw SQLite::Exception.
std::vector<SessionRecord> read_sessions(SQLite::Statement& row, std::int64_t& skipped);
std::vector<BestRecord> read_bests(SQLite::Database& db, int schema_version, SQLite::Statement& row,
                                   std::int64_t& skipped);

// Returns the condition that a session has a certain identity: "k.name = ? AND ...". Its parameters must be the query's
// first parameters.
std::string identity_matches(int schema_version);
// Binds the parameters of identity_matches.
void bind_identity(SQLite::Statement& row, const SessionIdentity& identity);

// Inserts the row of a result, without its ties and rounds. A reference of 0 becomes NULL, but `id` 0 means the next
// free id.
void insert_best(Statements& statements, RowId id, RowId session, RowId config, RowId default_config, BestRecord best);
void insert_round(Statements& statements, RowId best, std::int64_t position, const FinalRound& round);

} // namespace warptune::db
