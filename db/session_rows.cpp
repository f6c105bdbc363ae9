#include "db/session_rows.h"

#include "db/trial_rows.h"

#include <cmath>

namespace warptune::db {
namespace {

SessionState parse_state(const std::string& text, bool& known) {
  known = true;
  if (text == "running") return SessionState::running;
  if (text == "interrupted") return SessionState::interrupted;
  if (text == "finished") return SessionState::finished;
  known = text == "failed";
  return SessionState::failed;
}

} // namespace

std::vector<SessionRecord> read_sessions(SQLite::Statement& row, std::int64_t& skipped) {
  std::vector<SessionRecord> sessions;
  while (row.executeStep()) {
    SessionRecord session;
    SessionIdentity& identity = session.identity;
    int i = 0;
    session.id = row.getColumn(i++).getInt64();
    for (std::string* text : {&identity.kernel, &identity.source_hash, &identity.problem, &identity.device_backend,
                              &identity.device_name, &identity.device_uuid, &identity.arch, &identity.driver,
                              &identity.compiler, &identity.strategy, &identity.budget})
      *text = row.getColumn(i++).getString();
    identity.seed = static_cast<std::uint64_t>(row.getColumn(i++).getInt64());
    identity.cold_l2 = row.getColumn(i++).getInt() != 0;
    bool known = false;
    session.state = parse_state(row.getColumn(i++).getString(), known);
    session.started_at = row.getColumn(i++).getString();
    session.ended_at = row.getColumn(i++).getString();
    session.version = row.getColumn(i++).getString();
    session.space_size = row.getColumn(i++).getInt64();
    session.trial_count = row.getColumn(i++).getInt64();
    session.ok_count = row.getColumn(i++).getInt64();
    if (known && session.space_size >= 0)
      sessions.push_back(std::move(session));
    else
      ++skipped;
  }
  return sessions;
}

void bind_identity(SQLite::Statement& row, const SessionIdentity& identity) {
  int i = 1;
  for (const std::string* text : {&identity.kernel, &identity.source_hash, &identity.problem, &identity.device_backend,
                                  &identity.device_name, &identity.device_uuid, &identity.arch, &identity.driver,
                                  &identity.compiler, &identity.strategy, &identity.budget})
    row.bind(i++, *text);
  row.bind(i++, static_cast<std::int64_t>(identity.seed));
  row.bind(i, identity.cold_l2 ? 1 : 0);
}

std::vector<BestRecord> read_bests(SQLite::Database& db, SQLite::Statement& row, std::int64_t& skipped) {
  std::vector<BestRecord> records;
  SQLite::Statement tie(db, "SELECT c.text FROM best_ties t JOIN configs c ON c.id = t.config_id "
                            "WHERE t.best_id = ? ORDER BY t.position");
  while (row.executeStep()) {
    BestRecord best;
    int i = 0;
    best.id = row.getColumn(i++).getInt64();
    best.session = row.getColumn(i++).getInt64();
    for (std::string* text : {&best.kernel, &best.source_hash, &best.problem, &best.device_name, &best.device_uuid,
                              &best.arch, &best.config, &best.default_config, &best.bound, &best.outcome, &best.checks,
                              &best.cubin_hash, &best.created_at})
      *text = row.getColumn(i++).getString();
    bool sound = config_values(best.config).has_value();
    for (double* value :
         {&best.median_us, &best.ci_low_us, &best.ci_high_us, &best.default_us, &best.roofline_share, &best.p_value}) {
      *value = row.getColumn(i++).getDouble();
      sound = sound && std::isfinite(*value) && *value >= 0;
    }
    best.certified = row.getColumn(i++).getInt() != 0;
    best.cold_l2 = row.getColumn(i++).getInt() != 0;
    if (!sound) {
      ++skipped;
      continue;
    }
    tie.reset();
    tie.bind(1, best.id);
    while (tie.executeStep()) best.tie_set.push_back(tie.getColumn(0).getString());
    records.push_back(std::move(best));
  }
  return records;
}

} // namespace warptune::db
