// Sessions and their bests as rows, for the reader: the queries' text and what a row means. A row that cannot be true
// is skipped and counted.
#pragma once

#include "db/records.h"
#include "db/statements.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <string>
#include <vector>

namespace warptune::db {

// "s.objective", or what it was before there was a choice.
std::string objective_column(int schema_version);
// A SELECT up to its WHERE: sessions s, kernels k, problems p, devices d, toolchains t.
std::string session_columns(int schema_version);

// Results, newest first. The condition speaks of best b, sessions s, kernels k, and of ranked (id, place): place 1 is
// the result to be given for a kernel source, problem and device (Reader::best). `sessions`: a SELECT of the ids of
// those that are ranked, all of each kernel source, problem and device that is among them; empty: of all. `is_whole`: a
// database, whose rows say all of a session; a pack's do not.
std::string best_query(SQLite::Database& db, int schema_version, const std::string& condition,
                       const std::string& sessions, bool is_whole);

// The rows of a query that begins with session_columns, and of best_query. Throw SQLite::Exception.
std::vector<SessionRecord> read_sessions(SQLite::Statement& row, std::int64_t& skipped);
std::vector<BestRecord> read_bests(SQLite::Database& db, int schema_version, SQLite::Statement& row,
                                   std::int64_t& skipped);

// Whether a session has an identity: "(k.name = ?) AND ...".
std::string identity_matches(int schema_version);
// To the first parameters, those of identity_matches.
void bind_identity(SQLite::Statement& row, const SessionIdentity& identity);

// A result's row, without its ties and rounds. Numbers of rows that are 0 are NULL; `id` 0: the next.
void insert_best(Statements& statements, RowId id, RowId session, RowId config, RowId default_config, BestRecord best);
void insert_round(Statements& statements, RowId best, std::int64_t position, const FinalRound& round);

} // namespace warptune::db
