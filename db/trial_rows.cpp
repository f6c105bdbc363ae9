#include "db/trial_rows.h"

#include "db/connection.h"
#include "db/digest.h"
#include "db/profile_rows.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace warptune::db {

static_assert(std::endian::native == std::endian::little, "the samples blob is little-endian float32");

namespace {

double real(const SQLite::Column& column) { // NULL stands for "not a number": SQLite stores NaN so
  return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
}

constexpr int kId = 31; // of the trial, in select_sql's rows

bool is_duration(double value) { return std::isfinite(value) && value >= 0; }

std::optional<std::vector<float>> samples(const SQLite::Column& column) {
  const auto bytes = static_cast<std::size_t>(column.getBytes());
  if (bytes % sizeof(float) != 0) return std::nullopt;
  std::vector<float> values(bytes / sizeof(float));
  if (bytes != 0) std::memcpy(values.data(), column.getBlob(), bytes);
  for (const float value : values)
    if (!is_duration(value)) return std::nullopt;
  return values;
}

constexpr const char* kColumns =
    "t.cubin_hash, t.registers, t.spill_bytes, t.static_shared_bytes, t.occupancy, t.compile_ms, t.verify_ms, "
    "t.measure_ms, t.verdict_correct, t.max_abs_error, t.max_rel_error, t.worst_ratio, t.mismatches, t.worst_index, "
    "t.worst_buffer, t.verdict_detail, t.median_us, t.ci_low_us, t.ci_high_us, t.min_us, t.rel_iqr, t.cold_l2, "
    "t.complete, t.sm_clock_mhz, t.temperature_c, t.power_w, s.us, t.id "
    "FROM trials t JOIN configs c ON c.id = t.config_id LEFT JOIN samples s ON s.trial_id = t.id";

// Databases that were not opened for writing since schema 3 came hold every evidence in its trial.
std::string select_sql(SQLite::Database& db) {
  const bool shared = db.tableExists("evidence_texts");
  return std::string("SELECT c.text, t.config_index, t.status, ") +
         (shared ? "coalesce(e.text, t.evidence), " : "t.evidence, ") + kColumns +
         (shared ? " LEFT JOIN evidence_texts e ON e.id = t.evidence_id" : "") +
         " WHERE t.session_id = ? ORDER BY t.id";
}

std::optional<Timing> read_timing(SQLite::Statement& row, int first) {
  Timing timing;
  int i = first;
  timing.median_us = real(row.getColumn(i++));
  timing.ci_low_us = real(row.getColumn(i++));
  timing.ci_high_us = real(row.getColumn(i++));
  timing.min_us = real(row.getColumn(i++));
  timing.rel_iqr = real(row.getColumn(i++));
  timing.cold_l2 = row.getColumn(i++).getInt() != 0;
  timing.complete = row.getColumn(i++).getInt() != 0;
  timing.sm_clock_mhz = row.getColumn(i++).getDouble();
  timing.temperature_c = row.getColumn(i++).getDouble();
  timing.power_w = row.getColumn(i++).getDouble();
  std::optional<std::vector<float>> values = samples(row.getColumn(i));
  for (const double time : {timing.median_us, timing.ci_low_us, timing.ci_high_us, timing.min_us})
    if (!is_duration(time)) return std::nullopt;
  if (!values || std::isnan(timing.rel_iqr)) return std::nullopt;
  timing.samples_us = std::move(*values);
  return timing;
}

std::optional<StoredTrial> read_trial(SQLite::Statement& row) {
  StoredTrial stored;
  Trial& trial = stored.trial;
  int i = 0;
  stored.config = row.getColumn(i++).getString();
  std::optional<Config> config = config_values(stored.config);
  trial.index = row.getColumn(i++).getInt64();
  const std::optional<TrialStatus> status = parse_status(row.getColumn(i++).getString());
  if (!config || !status) return std::nullopt;
  trial.config = std::move(*config);
  trial.status = *status;
  trial.evidence = row.getColumn(i++).getString();
  trial.cubin_hash = row.getColumn(i++).getString();
  trial.resources.registers = row.getColumn(i++).getInt();
  trial.resources.spill_bytes = row.getColumn(i++).getInt();
  trial.resources.static_shared_bytes = row.getColumn(i++).getInt();
  trial.resources.occupancy = row.getColumn(i++).getDouble();
  trial.compile_ms = row.getColumn(i++).getDouble();
  trial.verify_ms = row.getColumn(i++).getDouble();
  trial.measure_ms = row.getColumn(i++).getDouble();
  if (const int first = i; !row.isColumnNull(first)) {
    Verdict verdict;
    verdict.correct = row.getColumn(i++).getInt() != 0;
    verdict.max_abs_error = real(row.getColumn(i++));
    verdict.max_rel_error = real(row.getColumn(i++));
    verdict.worst_ratio = real(row.getColumn(i++));
    verdict.mismatches = row.getColumn(i++).getInt64();
    verdict.worst_index = row.getColumn(i++).getInt64();
    verdict.worst_buffer = row.getColumn(i++).getString();
    verdict.detail = row.getColumn(i++).getString();
    trial.verdict = std::move(verdict);
  }
  constexpr int kMedian = 20;
  if (!row.isColumnNull(kMedian)) {
    trial.timing = read_timing(row, kMedian);
    if (!trial.timing) return std::nullopt;
  }
  if (trial.status == TrialStatus::ok && !trial.timing) return std::nullopt;
  return stored;
}

} // namespace

std::optional<Config> config_values(const std::string& text) {
  Config values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const char* const equals = std::find(at, end, '=');
    if (equals == end || equals == at || std::find(at, equals, ',') != equals) return std::nullopt;
    std::int64_t value = 0;
    const auto [stop, ec] = std::from_chars(equals + 1, end, value);
    if (ec != std::errc{} || (stop != end && *stop != ',')) return std::nullopt;
    values.push_back(value);
    if (stop == end) break;
    at = stop + 1;
    if (at == end) return std::nullopt; // a comma at the end
  }
  return values;
}

std::vector<StoredTrial> read_trials(SQLite::Database& db, RowId session, std::int64_t& skipped) {
  // One snapshot for all queries, whatever a writer does meanwhile.
  SQLite::Transaction snapshot(db, SQLite::TransactionBehavior::DEFERRED);
  std::vector<StoredTrial> trials;
  std::map<RowId, std::size_t> position;
  SQLite::Statement rows(db, select_sql(db));
  rows.bind(1, session);
  while (rows.executeStep()) {
    std::optional<StoredTrial> trial = read_trial(rows);
    if (!trial) {
      ++skipped;
      continue;
    }
    position[rows.getColumn(kId).getInt64()] = trials.size();
    trials.push_back(std::move(*trial));
  }
  std::map<RowId, Trial*> by_id;
  for (const auto& [id, place] : position) by_id[id] = &trials[place].trial;
  read_profiles(db, session, by_id, skipped);
  return trials;
}

std::vector<RowId> unreadable_trials(SQLite::Database& db, RowId session) {
  std::vector<RowId> unreadable;
  SQLite::Statement rows(db, select_sql(db));
  rows.bind(1, session);
  while (rows.executeStep())
    if (!read_trial(rows)) unreadable.push_back(rows.getColumn(kId).getInt64());
  return unreadable;
}

std::int64_t delete_unreadable(SQLite::Database& db, RowId session) {
  const std::vector<RowId> unreadable = unreadable_trials(db, session);
  for (const RowId id : unreadable) {
    SQLite::Statement row(db, "DELETE FROM trials WHERE id = ?"); // samples and counters go with it
    row.bind(1, id);
    row.exec();
  }
  return static_cast<std::int64_t>(unreadable.size());
}

RowId shared_evidence(Statements& statements, const std::string& evidence) {
  if (evidence.size() <= kInlineEvidence) return 0;
  const std::string hash = digest(evidence);
  if (const RowId known = statements.run("SELECT id FROM evidence_texts WHERE hash = ?", hash)) return known;
  statements.run("INSERT INTO evidence_texts (hash, text) VALUES (?, ?)", hash, evidence);
  return statements.database().getLastInsertRowid();
}

void insert_trial(Statements& statements, RowId session, RowId config, const Trial& trial,
                  const std::string& recorded_at) {
  const RowId evidence = shared_evidence(statements, trial.evidence);
  SQLite::Statement& row = statements.get(
      "INSERT INTO trials (session_id, config_id, config_index, status, evidence, evidence_id, cubin_hash, registers, "
      "spill_bytes, "
      "static_shared_bytes, occupancy, compile_ms, verify_ms, measure_ms, recorded_at, verdict_correct, max_abs_error, "
      "max_rel_error, worst_ratio, mismatches, worst_index, worst_buffer, verdict_detail, median_us, ci_low_us, "
      "ci_high_us, min_us, rel_iqr, cold_l2, complete, sm_clock_mhz, temperature_c, power_w) VALUES (?,?,?,?,?,?,?,?,"
      "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (session_id, config_id) DO NOTHING");
  int i = 1;
  row.bind(i++, session);
  row.bind(i++, config);
  row.bind(i++, trial.index);
  row.bind(i++, std::string(status_name(trial.status)));
  row.bind(i++, evidence == 0 ? trial.evidence : std::string());
  if (evidence != 0) row.bind(i, evidence);
  ++i;
  row.bind(i++, trial.cubin_hash);
  row.bind(i++, trial.resources.registers);
  row.bind(i++, trial.resources.spill_bytes);
  row.bind(i++, trial.resources.static_shared_bytes);
  row.bind(i++, trial.resources.occupancy);
  row.bind(i++, trial.compile_ms);
  row.bind(i++, trial.verify_ms);
  row.bind(i++, trial.measure_ms);
  row.bind(i++, recorded_at);
  if (const std::optional<Verdict>& verdict = trial.verdict) {
    row.bind(i, verdict->correct ? 1 : 0);
    row.bind(i + 1, verdict->max_abs_error);
    row.bind(i + 2, verdict->max_rel_error);
    row.bind(i + 3, verdict->worst_ratio);
    row.bind(i + 4, verdict->mismatches);
    row.bind(i + 5, verdict->worst_index);
    row.bind(i + 6, verdict->worst_buffer);
    row.bind(i + 7, verdict->detail);
  }
  i += 8; // what is not bound is NULL
  if (const std::optional<Timing>& timing = trial.timing) {
    for (const double value :
         {timing->median_us, timing->ci_low_us, timing->ci_high_us, timing->min_us, timing->rel_iqr})
      row.bind(i++, value);
    row.bind(i++, timing->cold_l2 ? 1 : 0);
    row.bind(i++, timing->complete ? 1 : 0);
    for (const double value : {timing->sm_clock_mhz, timing->temperature_c, timing->power_w}) row.bind(i++, value);
  }
  if (row.exec() == 0) return; // recorded before: samples and counters too, in the same transaction
  const RowId id = statements.database().getLastInsertRowid();
  if (trial.timing && !trial.timing->samples_us.empty()) {
    const std::vector<float>& values = trial.timing->samples_us;
    SQLite::Statement& blob = statements.get("INSERT INTO samples VALUES (?, ?)");
    blob.bind(1, id);
    blob.bind(2, values.data(), static_cast<int>(values.size() * sizeof(float)));
    blob.exec();
  }
  if (trial.profile) put_profile(statements, id, *trial.profile);
  if (trial.power) put_power(statements, id, *trial.power);
}

} // namespace warptune::db
