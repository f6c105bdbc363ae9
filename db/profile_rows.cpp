#include "db/profile_rows.h"

#include "db/connection.h"
#include "db/member_rows.h"
#include "db/stored_numbers.h"

#include <cmath>
#include <string>
#include <type_traits>

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
    if (value.isNull() || !is_stored_amount(value.getDouble()) || value.getDouble() > kMostCounted)
      ++skipped;
    else
      found->second->profile->counters[row.getColumn(1).getString()] = value.getDouble();
  }
}

void read_power(SQLite::Database& db, RowId session, const std::map<RowId, Trial*>& trials, std::int64_t& skipped) {
  const int schema = db.execAndGet("PRAGMA user_version").getInt();
  SQLite::Statement row(db, "SELECT w.trial_id" + columns_of<PowerReading>("w.", schema) +
                                " FROM power w JOIN trials t ON t.id = w.trial_id WHERE t.session_id = ?");
  row.bind(1, session);
  while (row.executeStep()) {
    const auto found = trials.find(row.getColumn(0).getInt64());
    if (found == trials.end()) continue;
    PowerReading power;
    int i = 1;
    read_members(row, i, power);
    bool sound = true;
    for_each_scalar<PowerReading>([&](const auto& m) {
      if constexpr (std::is_same_v<MemberValue<decltype(m)>, double>) sound = sound && std::isfinite(power.*m.at);
    });
    if (sound && is_stored_amount(power.energy_mj) && is_stored_amount(power.average_w))
      found->second->power = power;
    else
      ++skipped;
  }
}

// In place of the row that the trial has.
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
  if (!db.tableExists("profiles")) return; // from before schema 4, when nothing was counted
  const int schema = db.execAndGet("PRAGMA user_version").getInt();
  SQLite::Statement row(db, "SELECT f.trial_id" + columns_of<Profile>("f.", schema) +
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
  // Counters of a warm cache beside those of a cold one would be neither.
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

} // namespace warptune::db
