// Sessions and their bests as rows, for the reader: the queries' text and what a row means. A row that cannot be true
// is skipped and counted.
#pragma once

#include "db/records.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <vector>

namespace warptune::db {

// A later, shorter search must not hide a better result: see Reader::best.
inline constexpr const char* kRanked = R"(
WITH results AS (
  SELECT n.id, n.created_at, m.kernel_id AS kernel, m.problem_id AS problem, m.device_id AS device, n.certified, m.cold_l2 AS cold,
         n.median_us AS time, m.toolchain_id AS toolchain,
         first_value(m.toolchain_id) OVER (PARTITION BY m.kernel_id, m.problem_id, m.device_id
                                           ORDER BY n.created_at DESC, n.id DESC)
           AS last_toolchain
  FROM best n JOIN sessions m ON m.id = n.session_id),
ranked AS (
  SELECT id, row_number() OVER (PARTITION BY kernel, problem, device ORDER BY toolchain = last_toolchain DESC,
                                certified DESC, cold DESC, time, created_at DESC, id DESC) AS place
  FROM results))";

inline constexpr const char* kBestColumns = R"(
SELECT b.id, b.session_id, k.name, k.source_hash, p.key, d.name, d.uuid, s.arch, c.text, coalesce(f.text, ''), b.bound,
       b.outcome, b.checks, b.cubin_hash, b.created_at, b.median_us, b.ci_low_us, b.ci_high_us, b.default_us,
       b.roofline_share, b.p_value, b.certified, s.cold_l2
FROM best b JOIN sessions s ON s.id = b.session_id JOIN kernels k ON k.id = s.kernel_id
  JOIN problems p ON p.id = s.problem_id JOIN devices d ON d.id = s.device_id JOIN configs c ON c.id = b.config_id
  LEFT JOIN configs f ON f.id = b.default_config_id)";

// Newest first; clocks of several machines may meet in one database, so ids come second.
inline constexpr const char* kNewestBest = " ORDER BY b.created_at DESC, b.id DESC";

inline constexpr const char* kSessionColumns =
    "SELECT s.id, k.name, k.source_hash, p.key, d.backend, d.name, d.uuid, s.arch, t.driver, t.compiler, s.strategy, "
    "s.budget, s.seed, s.cold_l2, s.state, s.started_at, s.ended_at, s.version, s.space_size, "
    "(SELECT count(*) FROM trials WHERE session_id = s.id), "
    "(SELECT count(*) FROM trials WHERE session_id = s.id AND status = 'ok') "
    "FROM sessions s JOIN kernels k ON k.id = s.kernel_id JOIN problems p ON p.id = s.problem_id "
    "JOIN devices d ON d.id = s.device_id JOIN toolchains t ON t.id = s.toolchain_id ";

// The columns of kSessionColumns and of kBestColumns. Throw SQLite::Exception.
std::vector<SessionRecord> read_sessions(SQLite::Statement& row, std::int64_t& skipped);
std::vector<BestRecord> read_bests(SQLite::Database& db, SQLite::Statement& row, std::int64_t& skipped);

// To the first thirteen parameters, in the order of SessionIdentity.
void bind_identity(SQLite::Statement& row, const SessionIdentity& identity);

} // namespace warptune::db
