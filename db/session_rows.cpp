#include "db/session_rows.h"

#include "db/check_rows.h"
#include "db/connection.h"
#include "db/contradictions.h"
#include "db/member_rows.h"
#include "db/record_members.h"
#include "db/trial_rows.h"
#include "db/true_rows.h"
#include "system/utc_time.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::array<std::string_view, 4> kStates = {"running", "interrupted", "finished", "failed"};

} // namespace

std::string_view session_state_name(SessionState state) { return kStates[static_cast<std::size_t>(state)]; }

} // namespace warptune

namespace warptune::db {
namespace {

// A later, shorter search must not hide a better result: see Reader::best. {disqualified}: the results that checks
// disqualified, as rows of (best_id, check_id). The database may hold times from clocks of several machines, so age is
// by date, and by row id only within the same second. Each objective has its own result. Other placeholders: see
// best_query.
constexpr const char* kBestQuery = R"(
WITH disqualified AS ({disqualified}),
results AS (
  SELECT n.id, n.created_at, m.kernel_id AS kernel, m.problem_id AS problem, m.device_id AS device, n.certified,
         m.cold_l2 AS cold, n.median_us AS time, m.toolchain_id AS toolchain, {objective_m} AS objective,
         CASE {objective_m} WHEN 'time' THEN n.median_us WHEN 'energy' THEN {energy_n}
           ELSE {energy_n} * n.median_us END AS value,
         n.id IN (SELECT best_id FROM disqualified) OR {contradiction_n} <> 0 AS is_out,
         first_value(m.toolchain_id) OVER (PARTITION BY m.kernel_id, m.problem_id, m.device_id
                                           ORDER BY n.created_at DESC, n.id DESC) AS last_toolchain
  FROM best n JOIN sessions m ON m.id = n.session_id{within}),
ranked AS (
  SELECT id, row_number() OVER (PARTITION BY kernel, problem, device, objective
                                ORDER BY is_out, toolchain = last_toolchain DESC, certified DESC, cold DESC,
                                coalesce(value, 9e999), time, created_at DESC, id DESC) AS place
  FROM results)
SELECT b.id, b.session_id, k.name, k.source_hash, p.key, d.name, d.uuid, s.arch, c.text, coalesce(f.text, ''),
       d.backend, t.driver, t.compiler, s.version, s.cold_l2, {objective_s},
       coalesce((SELECT max(check_id) FROM disqualified WHERE best_id = b.id), {contradiction_b}){own}
FROM best b JOIN sessions s ON s.id = b.session_id JOIN kernels k ON k.id = s.kernel_id
  JOIN problems p ON p.id = s.problem_id JOIN devices d ON d.id = s.device_id JOIN configs c ON c.id = b.config_id
  JOIN toolchains t ON t.id = s.toolchain_id LEFT JOIN configs f ON f.id = b.default_config_id
WHERE {condition}
ORDER BY b.created_at DESC, b.id DESC)";

SessionState parse_state(const std::string& text, bool& known) {
  const auto found = std::find(kStates.begin(), kStates.end(), text);
  known = found != kStates.end();
  return known ? static_cast<SessionState>(found - kStates.begin()) : SessionState::failed;
}

std::vector<ParetoPoint> read_pareto(Statements& statements, RowId best, std::int64_t& skipped) {
  std::vector<ParetoPoint> points;
  SQLite::Statement& row = statements.get("SELECT c.text, p.median_us, p.energy_mj FROM best_pareto p JOIN configs c "
                                          "ON c.id = p.config_id WHERE p.best_id = ? ORDER BY p.position");
  row.bind(1, best);
  while (row.executeStep()) {
    ParetoPoint point{row.getColumn(0).getString(), row.getColumn(1).getDouble(), row.getColumn(2).getDouble()};
    if (can_be_true(point))
      points.push_back(std::move(point));
    else
      ++skipped;
  }
  return points;
}

std::vector<FinalTime> read_finalists(Statements& statements, RowId best, std::int64_t& skipped) {
  std::vector<FinalTime> finalists;
  SQLite::Statement& row = statements.get("SELECT c.text, f.median_us FROM best_finalists f JOIN configs c "
                                          "ON c.id = f.config_id WHERE f.best_id = ? ORDER BY f.position");
  row.bind(1, best);
  while (row.executeStep()) {
    FinalTime finalist{row.getColumn(0).getString(), row.getColumn(1).getDouble()};
    if (can_be_true(finalist))
      finalists.push_back(std::move(finalist));
    else
      ++skipped;
  }
  return finalists;
}

std::vector<FinalRound> read_rounds(Statements& statements, RowId best, std::int64_t& skipped) {
  std::vector<FinalRound> rounds;
  SQLite::Statement& row = statements.get("SELECT best_id" + columns_of<FinalRound>() + columns_of<DeviceReadings>() +
                                          " FROM best_rounds WHERE best_id = ? ORDER BY position");
  row.bind(1, best);
  while (row.executeStep()) {
    int i = 1;
    read_members(row, i, rounds.emplace_back());
    read_members(row, i, rounds.back().device);
    rounds.back().device.throttle_reasons = known_reasons(rounds.back().device.throttle_reasons);
    if (can_be_true(rounds.back())) continue;
    rounds.pop_back();
    ++skipped;
  }
  return rounds;
}

} // namespace

std::string objective_column(int schema_version) { return schema_version >= 4 ? "s.objective" : "'time'"; }

std::string session_columns(int schema_version) {
  return "SELECT s.id" + columns_of<SessionIdentity>() + ", " + objective_column(schema_version) +
         ", s.state, s.started_at, s.ended_at, s.version, s.space_size, "
         "EXISTS (SELECT 1 FROM trials WHERE session_id = s.id) "
         "FROM sessions s JOIN kernels k ON k.id = s.kernel_id JOIN problems p ON p.id = s.problem_id "
         "JOIN devices d ON d.id = s.device_id JOIN toolchains t ON t.id = s.toolchain_id ";
}

std::vector<SessionRecord> read_sessions(SQLite::Statement& row, std::int64_t& skipped) {
  std::vector<SessionRecord> sessions;
  while (row.executeStep()) {
    SessionRecord session;
    SessionIdentity& identity = session.identity;
    int i = 0;
    session.id = row.getColumn(i++).getInt64();
    read_members(row, i, identity);
    const std::optional<Objective> objective = parse_objective(row.getColumn(i++).getString());
    identity.objective = objective.value_or(Objective::time);
    bool known = false;
    session.state = parse_state(row.getColumn(i++).getString(), known);
    session.started_at = row.getColumn(i++).getString();
    session.ended_at = row.getColumn(i++).getString();
    session.version = row.getColumn(i++).getString();
    session.space_size = row.getColumn(i++).getInt64();
    session.has_trials = row.getColumn(i++).getInt() != 0;
    if (known && objective && session.space_size >= 0)
      sessions.push_back(std::move(session));
    else
      ++skipped;
  }
  return sessions;
}

// The last condition is redundant, but lets SQLite find the problem's sessions through the index sessions_by_identity.
std::string identity_matches(int schema_version) {
  return matches_of<SessionIdentity>() + " AND " + objective_column(schema_version) +
         " = ? AND s.problem_id = (SELECT id FROM problems WHERE kernel = ?1 AND key = ?3)";
}

void bind_identity(SQLite::Statement& row, const SessionIdentity& identity) {
  int i = 1;
  bind_members(row, i, identity);
  row.bind(i, std::string(objective_name(identity.objective)));
}

std::string best_query(SQLite::Database& db, int schema_version, const std::string& condition,
                       const std::string& sessions, bool is_whole) {
  // Before schema 4, time was the only objective, and energy was not recorded.
  const bool current = schema_version >= 4;
  return fmt::format(kBestQuery, fmt::arg("disqualified", disqualified_query(schema_version)),
                     fmt::arg("contradiction_n", is_whole ? contradiction_of("n") : "0"),
                     fmt::arg("contradiction_b", is_whole ? contradiction_of("b") : "0"),
                     fmt::arg("condition", condition),
                     fmt::arg("within", sessions.empty() ? "" : " WHERE m.id IN (" + sessions + ")"),
                     fmt::arg("objective_m", current ? "m.objective" : "'time'"),
                     fmt::arg("objective_s", current ? "s.objective" : "'time'"),
                     fmt::arg("energy_n", current ? "n.energy_mj" : "NULL"),
                     fmt::arg("own", columns_of<BestRecord>("b.", columns_in(db, "best"))));
}

std::vector<BestRecord> read_bests(SQLite::Database& db, int schema_version, SQLite::Statement& row,
                                   std::int64_t& skipped) {
  std::vector<BestRecord> records;
  Statements statements(db);
  const std::string ties = "SELECT c.text FROM best_ties t JOIN configs c ON c.id = t.config_id "
                           "WHERE t.best_id = ? ORDER BY t.position";
  while (row.executeStep()) {
    BestRecord best;
    int i = 0;
    best.id = row.getColumn(i++).getInt64();
    best.session = row.getColumn(i++).getInt64();
    for (std::string* text :
         {&best.kernel, &best.source_hash, &best.problem, &best.device_name, &best.device_uuid, &best.arch,
          &best.config, &best.default_config, &best.device_backend, &best.driver, &best.compiler, &best.version})
      *text = row.getColumn(i++).getString();
    best.cold_l2 = row.getColumn(i++).getInt() != 0;
    const std::optional<Objective> objective = parse_objective(row.getColumn(i++).getString());
    best.objective = objective.value_or(Objective::time);
    const RowId disqualifying = row.getColumn(i++).getInt64();
    read_members(row, i, best);
    if (!is_config_text(best.config) || !objective || !can_be_true(best)) {
      ++skipped;
      continue;
    }
    SQLite::Statement& tie = statements.get(ties);
    tie.bind(1, best.id);
    while (tie.executeStep()) best.tie_set.push_back(tie.getColumn(0).getString());
    if (schema_version >= 4) best.pareto = read_pareto(statements, best.id, skipped);
    if (schema_version >= 6) best.rounds = read_rounds(statements, best.id, skipped);
    if (schema_version >= 9) best.finalists = read_finalists(statements, best.id, skipped);
    attach_checks(statements, schema_version, disqualifying, best, skipped);
    records.push_back(std::move(best));
  }
  return records;
}

void insert_best(Statements& statements, RowId id, RowId session, RowId config, RowId default_config, BestRecord best) {
  if (best.created_at.empty()) best.created_at = utc_now();
  SQLite::Statement& row =
      statements.get("INSERT INTO best (id, session_id, config_id, default_config_id" + columns_of<BestRecord>() +
                     ") VALUES (nullif(?, 0), ?, ?, nullif(?, 0)" + places_of<BestRecord>(true) + ")");
  int i = 1;
  for (const RowId number : {id, session, config, default_config}) row.bind(i++, number);
  bind_members(row, i, best);
  row.exec();
}

void insert_round(Statements& statements, RowId best, std::int64_t position, const FinalRound& round) {
  SQLite::Statement& row = statements.get("INSERT INTO best_rounds (best_id, position" + columns_of<FinalRound>() +
                                          columns_of<DeviceReadings>() + ") VALUES (?, ?" +
                                          places_of<FinalRound>(true) + places_of<DeviceReadings>(true) + ")");
  int i = 1;
  row.bind(i++, best);
  row.bind(i++, position);
  bind_members(row, i, round);
  bind_members(row, i, round.device);
  row.exec();
}

} // namespace warptune::db
