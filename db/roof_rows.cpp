#include "db/roof_rows.h"

#include "db/stored_numbers.h"
#include "system/utc_time.h"

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace warptune::db {
namespace {

const RoofName* find_roof(std::string_view name) {
  for (const RoofName& roof : roof_names())
    if (name == roof.name) return &roof;
  return nullptr;
}

// A query for "name, rate, clock" in any schema version.
std::string rates_query(int schema_version) {
  if (schema_version >= 4) return "SELECT name, rate, sm_clock_mhz FROM peak_rates WHERE peaks_id = ?1";
  std::string query;
  for (const char* name : {"dram_read_gbs", "dram_copy_gbs", "dram_write_gbs", "fp32_tflops", "fp64_tflops",
                           "fp16_tflops", "tensor_tflops"})
    query +=
        fmt::format("{}SELECT '{}', {}, 0 FROM peaks WHERE id = ?1", query.empty() ? "" : " UNION ALL ", name, name);
  return query;
}

// Columns id, measured, recorded_at, driver; newest first.
SQLite::Statement roofs_of(SQLite::Database& db, int schema_version, RowId device) {
  SQLite::Statement peaks(db, std::string("SELECT id, measured, recorded_at, ") +
                                  (schema_version >= 4 ? "driver" : "''") +
                                  " FROM peaks WHERE device_id = ? ORDER BY recorded_at DESC, id DESC");
  peaks.bind(1, device);
  return peaks;
}

// nullopt if a rate is impossible.
std::optional<Roofs> read_roofs(SQLite::Database& db, int schema_version, SQLite::Statement& peaks) {
  Roofs roofs;
  roofs.measured = peaks.getColumn(1).getInt() != 0;
  roofs.measured_at = peaks.getColumn(2).getString();
  roofs.driver = peaks.getColumn(3).getString();
  SQLite::Statement rate(db, rates_query(schema_version));
  rate.bind(1, peaks.getColumn(0).getInt64());
  bool damaged = false;
  while (rate.executeStep()) {
    const RoofName* roof = find_roof(rate.getColumn(0).getString());
    if (roof == nullptr) continue; // a roof that a later version stored
    roofs.*roof->member = rate.getColumn(1).getDouble();
    const double clock = rate.getColumn(2).getDouble();
    damaged = damaged || !is_stored_amount(roofs.*roof->member) || !is_stored_amount(clock);
    if (clock > 0) roofs.clocks[roof->name] = clock;
  }
  return damaged ? std::nullopt : std::optional<Roofs>(std::move(roofs));
}

} // namespace

std::optional<Roofs> newest_roofs(SQLite::Database& db, int schema_version, RowId device, bool& damaged) {
  damaged = false;
  SQLite::Statement peaks = roofs_of(db, schema_version, device);
  if (!peaks.executeStep()) return std::nullopt;
  auto roofs = read_roofs(db, schema_version, peaks);
  damaged = !roofs;
  return roofs;
}

std::vector<Roofs> all_roofs(SQLite::Database& db, int schema_version, RowId device) {
  std::vector<Roofs> all;
  SQLite::Statement peaks = roofs_of(db, schema_version, device);
  while (peaks.executeStep())
    if (auto roofs = read_roofs(db, schema_version, peaks)) all.push_back(std::move(*roofs));
  return all;
}

void insert_roofs(Statements& statements, RowId device, const Roofs& roofs) {
  statements.run("INSERT INTO peaks (device_id, measured, driver, recorded_at) VALUES (?, ?, ?, ?)", device,
                 roofs.measured ? 1 : 0, roofs.driver, roofs.measured_at.empty() ? utc_now() : roofs.measured_at);
  const RowId peaks = statements.database().getLastInsertRowid();
  for (const RoofName& roof : roof_names()) {
    const auto clock = roofs.clocks.find(roof.name);
    if (roofs.*roof.member > 0)
      statements.run("INSERT INTO peak_rates VALUES (?, ?, ?, ?)", peaks, std::string(roof.name), roofs.*roof.member,
                     clock == roofs.clocks.end() ? 0.0 : clock->second);
  }
}

} // namespace warptune::db
