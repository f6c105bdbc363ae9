// Sessions and their bests as rows, for the reader: the queries' text and what a row means. A row that cannot be true
// is skipped and counted.
#pragma once

#include "db/records.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <string>
#include <vector>

namespace warptune::db {

inline constexpr const char* kSessionColumns =
    "SELECT s.id, k.name, k.source_hash, p.key, d.backend, d.name, d.uuid, s.arch, t.driver, t.compiler, s.strategy, "
    "s.budget, s.seed, s.cold_l2, s.state, s.started_at, s.ended_at, s.version, s.space_size, "
    "(SELECT count(*) FROM trials WHERE session_id = s.id), "
    "(SELECT count(*) FROM trials WHERE session_id = s.id AND status = 'ok') "
    "FROM sessions s JOIN kernels k ON k.id = s.kernel_id JOIN problems p ON p.id = s.problem_id "
    "JOIN devices d ON d.id = s.device_id JOIN toolchains t ON t.id = s.toolchain_id ";

// Results, newest first. The condition speaks of best b, sessions s, kernels k, and of ranked (id, place): place 1 is
// the result to be given for a kernel source, problem and device (Reader::best).
std::string best_query(int schema_version, const std::string& condition);

// The rows of a query that begins with kSessionColumns, and of best_query. Throw SQLite::Exception.
std::vector<SessionRecord> read_sessions(SQLite::Statement& row, std::int64_t& skipped);
std::vector<BestRecord> read_bests(SQLite::Database& db, int schema_version, SQLite::Statement& row,
                                   std::int64_t& skipped);

// To the first thirteen parameters, in the order of SessionIdentity.
void bind_identity(SQLite::Statement& row, const SessionIdentity& identity);

} // namespace warptune::db
