#include "db/trial_rows.h"

#include "core/text.h"
#include "db/digest.h"
#include "db/member_rows.h"
#include "db/profile_rows.h"
#include "db/stored_numbers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>

namespace warptune::db {

static_assert(std::endian::native == std::endian::little, "the samples blob is little-endian float32");

namespace {

std::optional<std::vector<float>> samples(const SQLite::Column& column) {
  const auto bytes = static_cast<std::size_t>(column.getBytes());
  if (bytes % sizeof(float) != 0) return std::nullopt;
  std::vector<float> values(bytes / sizeof(float));
  if (bytes != 0) std::memcpy(values.data(), column.getBlob(), bytes);
  for (const float value : values)
    if (!is_stored_time(value)) return std::nullopt;
  return values;
}

// Databases not opened for writing since schema 3 still hold each diagnostic text in its trial row.
std::string select_sql(SQLite::Database& db) {
  const ColumnNames present = columns_in(db, "trials");
  const bool shared = db.tableExists("evidence_texts");
  return std::string("SELECT t.id, c.text, t.status, s.us, ") +
         (shared ? "coalesce(e.text, t.evidence)" : "t.evidence") + columns_of<Trial>("t.", present) +
         columns_of<KernelResources>("t.", present) + columns_of<Verdict>("t.", present) +
         columns_of<Timing>("t.", present) +
         " FROM trials t JOIN configs c ON c.id = t.config_id LEFT JOIN samples s ON s.trial_id = t.id" +
         (shared ? " LEFT JOIN evidence_texts e ON e.id = t.evidence_id" : "") +
         " WHERE t.session_id = ? ORDER BY t.id";
}
constexpr int kId = 0, kSamples = 3; // columns of select_sql

std::optional<Timing> read_timing(SQLite::Statement& row, int first) {
  Timing timing;
  read_members(row, first, timing);
  std::optional<std::vector<float>> values = samples(row.getColumn(kSamples));
  if (!is_stored_time(timing.median_us)) return std::nullopt;
  for (const double time : {timing.ci_low_us, timing.ci_high_us, timing.min_us})
    if (!is_stored_time_or_0(time)) return std::nullopt;
  for (const double amount : {timing.rel_iqr, timing.sm_clock_mhz, timing.sm_clock_min_mhz, timing.power_w})
    if (!is_stored_amount(amount)) return std::nullopt;
  if (!values || !std::isfinite(timing.temperature_c)) return std::nullopt;
  timing.samples_us = std::move(*values);
  return timing;
}

std::optional<StoredTrial> read_trial(SQLite::Statement& row) {
  StoredTrial stored;
  Trial& trial = stored.trial;
  stored.config = row.getColumn(1).getString();
  const std::optional<TrialStatus> status = parse_status(row.getColumn(2).getString());
  if (!is_config_text(stored.config) || !status) return std::nullopt;
  trial.config = config_values(stored.config).value_or(Config());
  trial.status = *status;
  trial.evidence = row.getColumn(kSamples + 1).getString();
  int i = kSamples + 2;
  read_members(row, i, trial);
  read_members(row, i, trial.resources);
  for (const double time : {trial.compile_ms, trial.verify_ms, trial.measure_ms})
    if (!is_stored_amount(time)) return std::nullopt;
  if (!is_stored_amount(trial.resources.occupancy)) return std::nullopt;
  const int first_of_verdict = i, first_of_timing = i + column_count<Verdict>();
  if (!row.isColumnNull(first_of_verdict)) read_members(row, i, trial.verdict.emplace());
  if (!row.isColumnNull(first_of_timing)) {
    trial.timing = read_timing(row, first_of_timing);
    if (!trial.timing) return std::nullopt;
  }
  if (trial.status == TrialStatus::ok && !trial.timing) return std::nullopt;
  return stored;
}

// Parameters that are not bound are NULL.
const std::string& insert_sql() {
  static const auto& sql = *new std::string(
      "INSERT INTO trials (session_id, config_id, status, evidence, evidence_id, recorded_at" + columns_of<Trial>() +
      columns_of<KernelResources>() + columns_of<Verdict>() + columns_of<Timing>() + ") VALUES (?, ?, ?, ?, ?, ?" +
      places_of<Trial>() + places_of<KernelResources>() + places_of<Verdict>() + places_of<Timing>() +
      ") ON CONFLICT (session_id, config_id) DO NOTHING");
  return sql;
}

} // namespace

bool is_config_text(std::string_view text) {
  if (text.empty()) return true;
  for (const std::string_view piece : split(text, ',')) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos || !is_identifier(piece.substr(0, equals))) return false;
    const std::string_view value = piece.substr(equals + 1);
    const bool plain = std::all_of(value.begin(), value.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
             c == '+' || c == '-';
    });
    std::int64_t number = 0;
    if (value.empty() || !plain || parse_integer(value, number) == IntegerError::overflow) return false;
  }
  return true;
}

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
  // One snapshot for all queries, so that a concurrent writer cannot make them inconsistent.
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

std::vector<RowId> unreadable_trials(SQLite::Database& db, RowId session, const KnowsConfig& knows) {
  std::vector<RowId> unreadable;
  SQLite::Statement rows(db, select_sql(db));
  rows.bind(1, session);
  while (rows.executeStep()) {
    const auto stored = read_trial(rows);
    if (!stored || (knows && !knows(stored->config))) unreadable.push_back(rows.getColumn(kId).getInt64());
  }
  return unreadable;
}

std::int64_t delete_unreadable(SQLite::Database& db, RowId session, const KnowsConfig& knows) {
  const std::vector<RowId> unreadable = unreadable_trials(db, session, knows);
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
  SQLite::Statement& row = statements.get(insert_sql());
  int i = 1;
  row.bind(i++, session);
  row.bind(i++, config);
  row.bind(i++, std::string(status_name(trial.status)));
  row.bind(i++, evidence == 0 ? trial.evidence : std::string());
  if (evidence != 0) row.bind(i, evidence);
  ++i;
  row.bind(i++, recorded_at);
  bind_members(row, i, trial);
  bind_members(row, i, trial.resources);
  const int first_of_timing = i + column_count<Verdict>();
  if (trial.verdict) bind_members(row, i, *trial.verdict);
  i = first_of_timing;
  if (trial.timing) bind_members(row, i, *trial.timing);
  if (row.exec() == 0) return; // already recorded, with its samples and counters in the same transaction
  const RowId id = statements.database().getLastInsertRowid();
  if (trial.timing && !trial.timing->samples_us.empty()) {
    const std::vector<float>& values = trial.timing->samples_us;
    SQLite::Statement& blob = statements.get("INSERT INTO samples VALUES (?, ?)");
    blob.bind(1, id);
    bind_bytes(blob, 2, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
    blob.exec();
  }
  if (trial.profile) put_profile(statements, id, *trial.profile);
  if (trial.power) put_power(statements, id, *trial.power);
}

} // namespace warptune::db
