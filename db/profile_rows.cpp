#include "db/profile_rows.h"

#include "db/connection.h"

#include <cmath>
#include <string>

namespace warptune::db {
namespace {

constexpr double kMostCounted = 1e18; // what a kernel does in hours

void read_counters(SQLite::Database& db, RowId session, const std::map<RowId, Trial*>& trials, std::int64_t& skipped) {
  SQLite::Statement row(db, "SELECT k.trial_id, m.name, k.value FROM counters k JOIN metrics m ON m.id = k.metric_id "
                            "JOIN trials t ON t.id = k.trial_id WHERE t.session_id = ?");
  row.bind(1, session);
  while (row.executeStep()) {
    const auto found = trials.find(row.getColumn(0).getInt64());
    if (found == trials.end() || !found->second->profile) continue;
    const SQLite::Column value = row.getColumn(2);
    if (value.isNull() || !(value.getDouble() >= 0 && value.getDouble() <= kMostCounted))
      ++skipped;
    else
      found->second->profile->counters[row.getColumn(1).getString()] = value.getDouble();
  }
}

void read_power(SQLite::Database& db, RowId session, const std::map<RowId, Trial*>& trials, std::int64_t& skipped) {
  SQLite::Statement row(db, "SELECT w.trial_id, w.energy_mj, w.average_w, w.sm_clock_mhz, w.temperature_c, "
                            "w.throttle_reasons, w.launches, w.window_ms FROM power w JOIN trials t "
                            "ON t.id = w.trial_id WHERE t.session_id = ?");
  row.bind(1, session);
  while (row.executeStep()) {
    const auto found = trials.find(row.getColumn(0).getInt64());
    if (found == trials.end()) continue;
    PowerReading power;
    int i = 1;
    bool sound = true;
    for (double* value : {&power.energy_mj, &power.average_w, &power.sm_clock_mhz, &power.temperature_c}) {
      *value = row.getColumn(i++).getDouble();
      sound = sound && std::isfinite(*value);
    }
    power.throttle_reasons = static_cast<std::uint64_t>(row.getColumn(i++).getInt64());
    power.launches = row.getColumn(i++).getInt64();
    power.window_ms = row.getColumn(i).getDouble();
    if (sound && std::isfinite(power.window_ms))
      found->second->power = power;
    else
      ++skipped;
  }
}

} // namespace

void read_profiles(SQLite::Database& db, RowId session, const std::map<RowId, Trial*>& trials, std::int64_t& skipped) {
  if (!db.tableExists("profiles")) return; // from before schema 4, when nothing was counted
  SQLite::Statement row(db, "SELECT f.trial_id, f.source, f.passes, f.cold_l2 FROM profiles f "
                            "JOIN trials t ON t.id = f.trial_id WHERE t.session_id = ?");
  row.bind(1, session);
  while (row.executeStep()) {
    const auto found = trials.find(row.getColumn(0).getInt64());
    if (found == trials.end()) continue;
    found->second->profile =
        Profile{{}, row.getColumn(1).getString(), row.getColumn(2).getInt(), row.getColumn(3).getInt() != 0};
  }
  read_counters(db, session, trials, skipped);
  read_power(db, session, trials, skipped);
}

void put_profile(Statements& statements, RowId trial, const Profile& profile) {
  // Counters of a warm cache beside those of a cold one would be neither.
  statements.run("DELETE FROM counters WHERE trial_id = ? AND EXISTS (SELECT 1 FROM profiles WHERE trial_id = ? "
                 "AND cold_l2 <> ?)",
                 trial, trial, profile.cold_l2 ? 1 : 0);
  statements.run("INSERT INTO profiles VALUES (?, ?, ?, ?, ?) ON CONFLICT (trial_id) DO UPDATE SET source = "
                 "excluded.source, passes = excluded.passes, cold_l2 = excluded.cold_l2, "
                 "recorded_at = excluded.recorded_at",
                 trial, profile.source, profile.passes, profile.cold_l2 ? 1 : 0, utc_now());
  for (const auto& [name, value] : profile.counters) {
    statements.run("INSERT INTO metrics (name) VALUES (?) ON CONFLICT (name) DO NOTHING", name);
    statements.run("INSERT OR REPLACE INTO counters SELECT ?, id, ? FROM metrics WHERE name = ?", trial, value, name);
  }
}

void put_power(Statements& statements, RowId trial, const PowerReading& p) {
  statements.run("INSERT OR REPLACE INTO power VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", trial, p.energy_mj, p.average_w,
                 p.sm_clock_mhz, p.temperature_c, static_cast<std::int64_t>(p.throttle_reasons), p.launches,
                 p.window_ms, utc_now());
}

} // namespace warptune::db
