#include "db/check_rows.h"

#include "db/connection.h"
#include "db/contradictions.h"
#include "db/member_rows.h"
#include "db/record_members.h"
#include "db/true_rows.h"
#include "system/utc_time.h"

#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace warptune {
namespace {

constexpr std::array<const char*, 6> kNames = {"holds", "moved", "slower_than_default", "wrong", "failed", "not_timed"};

} // namespace

std::string_view check_name(CheckStatus status) { return kNames[static_cast<std::size_t>(status)]; }

std::string check_text(CheckStatus status) {
  std::string words(check_name(status));
  for (char& c : words)
    if (c == '_') c = ' ';
  return words;
}

} // namespace warptune

namespace warptune::db {
namespace {

constexpr int kFirstSchemaWithChecks = 2;

// A wrong kernel is wrong wherever the same code runs, so a wrong check disqualifies every result of the same
// configuration, source, problem and architecture that is older than the check. A result certified later has passed
// checks of its own. A failure may have other causes (such as a full device), so it disqualifies only its own row, and
// only while it is the latest check.
constexpr const char* kDisqualified = R"(
SELECT n.id AS best_id, c.id AS check_id
FROM checks c JOIN best x ON x.id = c.best_id JOIN sessions y ON y.id = x.session_id
  JOIN sessions m ON m.kernel_id = y.kernel_id AND m.problem_id = y.problem_id AND m.arch = y.arch
  JOIN best n ON n.session_id = m.id AND n.config_id = x.config_id
WHERE c.status = 'wrong' AND (n.created_at < x.created_at OR (n.created_at = x.created_at AND n.id <= x.id)
                              OR n.created_at < c.checked_at)
UNION ALL
SELECT c.best_id, c.id FROM checks c
WHERE c.status = 'failed'
  AND c.id = (SELECT id FROM checks l WHERE l.best_id = c.best_id AND l.status <> 'not_timed'
              ORDER BY checked_at DESC, id DESC LIMIT 1))";

// Selects all checks that match `condition`.
std::string select_checks(SQLite::Database& db, const char* condition) {
  return "SELECT c.id, c.best_id, c.status, coalesce(t.driver, ''), coalesce(t.compiler, '')" +
         columns_of<CheckRecord>("c.", columns_in(db, "checks")) +
         " FROM checks c LEFT JOIN toolchains t ON t.id = c.toolchain_id WHERE " + condition;
}
std::optional<CheckRecord> read_row(SQLite::Statement& row) {
  CheckRecord check;
  int i = 0;
  check.id = row.getColumn(i++).getInt64();
  check.best = row.getColumn(i++).getInt64();
  const std::string status = row.getColumn(i++).getString();
  std::size_t s = 0;
  while (s < kNames.size() && status != kNames[s]) ++s;
  if (s == kNames.size()) return std::nullopt;
  check.status = static_cast<CheckStatus>(s);
  for (std::string* text : {&check.driver, &check.compiler}) *text = row.getColumn(i++).getString();
  read_members(row, i, check);
  return can_be_true(check) ? std::optional(std::move(check)) : std::nullopt;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string why_disqualified(Statements& statements, RowId id) {
  if (id < 0) return why_contradicted(id);
  SQLite::Statement& row = statements.get(select_checks(statements.database(), "c.id = ?"));
  row.bind(1, id);
  const auto check = row.executeStep() ? read_row(row) : std::nullopt;
  if (!check) return "a re-check disqualified it, but the stored check cannot be read";
  return fmt::format("{} when re-checked on {}: {}",
                     check->status == CheckStatus::wrong ? "its results were wrong" : "it failed",
                     check->checked_at.substr(0, 10), first_line(check->evidence));
}

} // namespace

std::string disqualified_query(int schema_version) {
  return schema_version < kFirstSchemaWithChecks ? "SELECT 0 AS best_id, 0 AS check_id WHERE 0" : kDisqualified;
}

std::vector<CheckRecord> read_checks(Statements& statements, int schema_version, RowId best, std::int64_t& skipped) {
  std::vector<CheckRecord> checks;
  if (schema_version < kFirstSchemaWithChecks) return checks;
  SQLite::Statement& row =
      statements.get(select_checks(statements.database(), "c.best_id = ? ORDER BY c.checked_at DESC, c.id DESC"));
  row.bind(1, best);
  while (row.executeStep()) {
    if (auto check = read_row(row))
      checks.push_back(std::move(*check));
    else
      ++skipped;
  }
  return checks;
}

void attach_checks(Statements& statements, int schema_version, RowId disqualifying, BestRecord& best,
                   std::int64_t& skipped) {
  auto checks = read_checks(statements, schema_version, best.id, skipped);
  if (!checks.empty()) best.stale = checks.front().stale;
  for (CheckRecord& check : checks) {
    if (check.status == CheckStatus::not_timed) continue;
    best.last_check = std::move(check);
    break;
  }
  if (disqualifying != 0) best.disqualified = why_disqualified(statements, disqualifying);
}

void insert_check(SQLite::Database& db, CheckRecord check, RowId toolchain) {
  if (check.checked_at.empty()) check.checked_at = utc_now();
  SQLite::Statement row(db, "INSERT INTO checks (best_id, toolchain_id, status" + columns_of<CheckRecord>() +
                                ") VALUES (?, ?, ?" + places_of<CheckRecord>(true) + ")");
  int i = 1;
  row.bind(i++, check.best);
  if (toolchain != 0) row.bind(i, toolchain);
  ++i;
  row.bind(i++, std::string(check_name(check.status)));
  bind_members(row, i, check);
  row.exec();
}

} // namespace warptune::db
