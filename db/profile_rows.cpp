#include "db/profile_rows.h"

#include "db/member_rows.h"
#include "db/stored_numbers.h"
#include "db/true_rows.h"
#include "system/utc_time.h"

#include <string>

namespace warptune::db {
namespace {

void read_counters(SQLite::Database& db, RowId session, const std::map<RowId, Trial*>& trials, std::int64_t& skipped) {
  SQLite::Statement row(db, "SELECT k.trial_id, m.name, k.value FROM counters k JOIN metrics m ON m.id = k.metric_id "
                            "JOIN trials t ON t.id = k.trial_id WHERE t.session_id = ?");
  row.bind(1, session);
  while (row.executeStep()) {
    const auto found = trials.find(row.getColumn(0).getInt64());
    if (found == trials.end() || !found->second->profile) continue;
    const SQLite::Column value = row.getColumn(2);
    if (value.isNull() || !is_stored_count(value.getDouble()))
      ++skipped;
    else
      found->second->profile->counters[row.getColumn(1).getString()] = value.getDouble();
  }
}

void read_power(SQLite::Database& db, RowId session, const std::map<RowId, Trial*>& trials, std::int64_t& skipped) {
  SQLite::Statement row(db, "SELECT w.trial_id" + columns_of<PowerReading>("w.", columns_in(db, "power")) +
                                " FROM power w JOIN trials t ON t.id = w.trial_id WHERE t.session_id = ?");
  row.bind(1, session);
  while (row.executeStep()) {
    const auto found = trials.find(row.getColumn(0).getInt64());
    if (found == trials.end()) continue;
    PowerReading power;
    int i = 1;
    read_members(row, i, power);
    if (can_be_true(power)) {
      found->second->power = power;
      found->second->power->throttle_reasons = known_reasons(power.throttle_reasons);
    } else {
      ++skipped;
    }
  }
}

// Replaces the trial's row, if it has one.
template <class T> void put(Statements& statements, const std::string& table, RowId trial, const T& value) {
  SQLite::Statement& row = statements.get("INSERT OR REPLACE INTO " + table + " (trial_id, recorded_at" +
                                          columns_of<T>() + ") VALUES (?, ?" + places_of<T>() + ")");
  int i = 1;
  row.bind(i++, trial);
  row.bind(i++, utc_now());
  bind_members(row, i, value);
  row.exec();
}

} // namespace

void read_profiles(SQLite::Database& db, RowId session, const std::map<RowId, Trial*>& trials, std::int64_t& skipped) {
  if (!db.tableExists("profiles")) return; // before schema 4, counters were not recorded
  SQLite::Statement row(db, "SELECT f.trial_id" + columns_of<Profile>("f.", columns_in(db, "profiles")) +
                                " FROM profiles f JOIN trials t ON t.id = f.trial_id WHERE t.session_id = ?");
  row.bind(1, session);
  while (row.executeStep()) {
    const auto found = trials.find(row.getColumn(0).getInt64());
    if (found == trials.end()) continue;
    int i = 1;
    read_members(row, i, found->second->profile.emplace());
  }
  read_counters(db, session, trials, skipped);
  read_power(db, session, trials, skipped);
}

void put_profile(Statements& statements, RowId trial, const Profile& profile) {
  // Do not mix counters of a warm cache with those of a cold one.
  statements.run("DELETE FROM counters WHERE trial_id = ? AND EXISTS (SELECT 1 FROM profiles WHERE trial_id = ? "
                 "AND cold_l2 <> ?)",
                 trial, trial, profile.cold_l2 ? 1 : 0);
  put(statements, "profiles", trial, profile);
  for (const auto& [name, value] : profile.counters) {
    statements.run("INSERT INTO metrics (name) VALUES (?) ON CONFLICT (name) DO NOTHING", name);
    statements.run("INSERT OR REPLACE INTO counters SELECT ?, id, ? FROM metrics WHERE name = ?", trial, value, name);
  }
}

void put_power(Statements& statements, RowId trial, const PowerReading& power) {
  put(statements, "power", trial, power);
}

void put_samples(Statements& statements, RowId trial, const std::string& content) {
  statements.run("INSERT OR REPLACE INTO source_samples (trial_id, content, recorded_at) VALUES (?, ?, ?)", trial,
                 content, utc_now());
}

} // namespace warptune::db
