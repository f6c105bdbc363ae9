#include "db/pack_rows.h"

#include "db/connection.h"
#include "db/cubin_digest.h"
#include "embedded/pack_schema.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sqlite3.h>

namespace warptune::db {

namespace fs = std::filesystem;

namespace {

constexpr int kFirstPackSchema = kColumnsByScript;

constexpr int kMaxStatementBytes = 1 << 20;
constexpr std::size_t kMaxRuleBytes = 64 << 10; // a rule names up to 16 shapes

void harden(SQLite::Database& db) {
  sqlite3* const handle = db.getHandle();
  distrust(db);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxTextBytes);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, kMaxStatementBytes);
  db.exec("PRAGMA cell_size_check = ON; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0");
}

// The "CREATE ..." statements of a script as SQLite stores them: without the semicolon.
std::multiset<std::string> create_statements(std::string_view script) {
  std::multiset<std::string> statements;
  constexpr std::string_view kCreate = "CREATE ";
  for (std::size_t at = script.find(kCreate); at != std::string_view::npos; at = script.find(kCreate, at)) {
    const std::size_t end = std::min(script.find(';', at), script.size());
    statements.emplace(script.substr(at, end - at));
    at = end;
  }
  return statements;
}

Result<void> check_pack_schema(SQLite::Database& db, std::string_view script, const fs::path& path) {
  std::multiset<std::string> expected = create_statements(script);
  SQLite::Statement row(db, "SELECT type, name, sql FROM sqlite_schema");
  while (row.executeStep()) {
    // SQLite's automatic indexes have no SQL text; they belong to their table.
    if (row.isColumnNull(2) && row.getColumn(0).getString() == "index") continue;
    const auto found = expected.find(row.getColumn(2).getString());
    if (found == expected.end())
      return fail(ErrorKind::database,
                  fmt::format("the pack {} contains the {} {:.60}, which does not belong in a pack; get the pack from "
                              "a source that you trust",
                              path.string(), row.getColumn(0).getString(), row.getColumn(1).getString()));
    expected.erase(found);
  }
  if (!expected.empty())
    return fail(ErrorKind::database,
                fmt::format("the pack {} lacks tables of its schema ({:.60}...); make the pack again", path.string(),
                            *expected.begin()));
  return {};
}

// A line "-- since N" precedes a table that packs of earlier schemas lack.
void drop_later_tables(std::string& script, int schema_version) {
  constexpr std::string_view kMark = "-- since ";
  for (std::size_t at; (at = script.find(kMark)) != std::string::npos;) {
    int since = 0;
    std::from_chars(script.data() + at + kMark.size(), script.data() + script.size(), since);
    const std::size_t end = script.find(since > schema_version ? ";\n" : "\n", at);
    script.erase(at, end + (since > schema_version ? 2 : 1) - at);
  }
}

} // namespace

std::string pack_schema(int schema_version) {
  if (schema_version < kFirstPackSchema || schema_version > kSchemaVersion) return {};
  std::string script(embedded::pack_schema::find("pack.sql").value());
  std::map<std::string, std::string> added; // keyed by table: "a REAL, b TEXT"
  for_each_stored([&added]<class T>(const char* table) { added.try_emplace(table); });
  added.emplace("cubins", schema_version >= kFirstSchemaWithDigests ? "digest TEXT NOT NULL DEFAULT ''" : "");
  for (const MemberColumn& column : member_columns())
    if (column.since <= schema_version) {
      std::string& text = added[column.table];
      text += (text.empty() ? "" : ", ") + column.definition;
    }
  for (const auto& [table, text] : added) {
    const std::string mark = "{" + table + "}"; // after the last column, possibly before constraints
    const std::size_t at = script.find(mark);
    const bool is_last = script[at + mark.size()] == ')';
    script.replace(at, mark.size(), text.empty() ? "" : is_last ? ", " + text : text + ", ");
  }
  drop_later_tables(script, schema_version);
  return script;
}

Result<OpenedPack> open_pack(std::unique_ptr<PackFile> file, const fs::path& path) {
  OpenedPack pack;
  pack.vfs = std::make_unique<PackVfs>(std::move(file));
  try {
    pack.db = std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READONLY, 0, pack.vfs->name());
    harden(*pack.db);
  } catch (const SQLite::Exception& e) {
    const std::string& damage = pack.vfs->file().damage();
    return fail(damage.empty() ? explain_pack(e, path) : Error{ErrorKind::database, damage});
  }
  const Result<void> opened = read_limited(*pack.db, pack.vfs->file(), path, kMaxTextBytes, [&]() -> Result<void> {
    pack.schema_version = pack.db->execAndGet("PRAGMA user_version").getInt();
    if (pack.schema_version > kSchemaVersion)
      return fail(ErrorKind::database,
                  fmt::format("the pack {} has schema {}, made by a newer warptune; this version supports schemas up "
                              "to {}; update warptune, or make the pack again with this version",
                              path.string(), pack.schema_version, kSchemaVersion));
    const std::string script = pack_schema(pack.schema_version);
    if (script.empty() || pack.db->execAndGet("PRAGMA application_id").getInt() != kPackApplicationId)
      return fail(ErrorKind::database,
                  fmt::format("the pack {} has schema {}, which is not a pack's schema; make the pack again",
                              path.string(), pack.schema_version));
    return check_pack_schema(*pack.db, script, path);
  });
  WT_CHECK(opened);
  return pack;
}

// Reading one byte of a row takes a few SQLite instructions; sorting and joining take a few hundred. A row of a join
// fetches about ten pages and repeats texts that the file holds once.
WorkLimit::WorkLimit(SQLite::Database& db, const PackFile& file, std::int64_t max_value_bytes)
    : db_(db), looks_left_(500'000 + file.bytes() / 2), pages_left_(file.bytes() / kPackPageBytes * 1024 + 65'536),
      row_bytes_left_(file.bytes() * 16 + (1 << 20)),
      max_memory_(sqlite3_memory_used() + file.bytes() * 16 + (std::int64_t{64} << 20)), pages_seen_(pages_so_far()) {
  constexpr int kSteps = 100; // SQLite instructions between two calls of look()
  sqlite3* const handle = db.getHandle();
  const std::int64_t value_bytes = std::min(max_value_bytes, std::max<std::int64_t>(file.bytes(), kMaxStatementBytes));
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, static_cast<int>(value_bytes));
  sqlite3_progress_handler(
      handle, kSteps, [](void* limit) { return static_cast<WorkLimit*>(limit)->look() ? 0 : 1; }, this);
  // Count rows as SQLite returns them: the caller keeps them, while SQLite has freed its copy by the next look().
  sqlite3_trace_v2(
      handle, SQLITE_TRACE_ROW,
      [](unsigned, void* limit, void* row, void*) {
        static_cast<WorkLimit*>(limit)->count_row(static_cast<sqlite3_stmt*>(row));
        return 0;
      },
      this);
}

WorkLimit::~WorkLimit() {
  sqlite3_progress_handler(db_.getHandle(), 0, nullptr, nullptr);
  sqlite3_trace_v2(db_.getHandle(), 0, nullptr, nullptr);
}

std::uint32_t WorkLimit::pages_so_far() const {
  std::uint32_t pages = 0;
  for (const int status : {SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS}) {
    int count = 0, highest = 0;
    sqlite3_db_status(db_.getHandle(), status, &count, &highest, 0);
    pages += static_cast<std::uint32_t>(count);
  }
  return pages & 0x7FFF'FFFF; // SQLite reports 31 bits of each count
}

bool WorkLimit::look() {
  const std::uint32_t pages = pages_so_far();
  pages_left_ -= (pages - pages_seen_) & 0x7FFF'FFFF;
  pages_seen_ = pages;
  if (--looks_left_ < 0 || pages_left_ < 0 || sqlite3_memory_used() > max_memory_) is_exceeded_ = true;
  return !is_exceeded_;
}

void WorkLimit::count_row(sqlite3_stmt* row) {
  for (int column = 0; column < sqlite3_column_count(row); ++column) {
    const int type = sqlite3_column_type(row, column);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) row_bytes_left_ -= sqlite3_column_bytes(row, column);
  }
  if (row_bytes_left_ >= 0) return;
  is_exceeded_ = true;
  sqlite3_interrupt(db_.getHandle());
}

Error hostile_pack(const fs::path& path, std::string_view how) {
  return {ErrorKind::database, fmt::format("the pack {} is damaged or was tampered with: {}; make the pack again, or "
                                           "get it from a source that you trust",
                                           path.string(), how)};
}

Error explain_pack(const SQLite::Exception& e, const fs::path& path) {
  switch (e.getErrorCode()) {
  case SQLITE_NOMEM:
    return {ErrorKind::database, fmt::format("cannot read the pack {}: not enough memory", path.string())};
  case SQLITE_TOOBIG:
    return hostile_pack(path, "a value in it is longer than a pack allows");
  default:
    return hostile_pack(path, e.what());
  }
}

PackInfo read_pack_info(SQLite::Database& db) {
  PackInfo info;
  SQLite::Statement row(db, "SELECT name, value FROM pack ORDER BY name");
  while (row.executeStep()) info.values.emplace(row.getColumn(0).getString(), row.getColumn(1).getString());
  return info;
}

std::vector<PackRule> read_pack_rules(SQLite::Database& db, const std::string& kernel, std::int64_t& skipped) {
  std::vector<PackRule> rules;
  const std::string condition = kernel.empty() ? "?1 = ''" : "k.name = ?1"; // the second condition can use an index
  SQLite::Statement row(db,
                        "SELECT k.name, k.source_hash, d.name, d.arch, r.variant, r.shapes, r.configs, r.guarded, "
                        "r.worst_loss, r.method, coalesce(r.rule, ''), r.mean_rule_loss, r.worst_rule_loss "
                        "FROM pack_rules r JOIN kernels k ON k.id = r.kernel_id JOIN devices d ON d.id = r.device_id "
                        "WHERE " +
                            condition + " ORDER BY k.name, k.source_hash, d.name, r.variant");
  row.bind(1, kernel);
  while (row.executeStep()) {
    PackRule rule;
    int i = 0;
    for (std::string* text : {&rule.kernel, &rule.source_hash, &rule.device_name, &rule.arch, &rule.variant})
      *text = row.getColumn(i++).getString();
    for (std::int64_t* count : {&rule.shapes, &rule.configs, &rule.guarded}) *count = row.getColumn(i++).getInt64();
    rule.worst_loss = row.getColumn(i++).getDouble();
    rule.method = row.getColumn(i++).getString();
    rule.rule = row.getColumn(i++).getString();
    if (!row.isColumnNull(i)) rule.rule_loss = {row.getColumn(i).getDouble(), row.getColumn(i + 1).getDouble()};
    const auto is_loss = [](double loss) { return std::isfinite(loss) && loss >= 0; };
    if (is_loss(rule.worst_loss) && rule.rule.size() <= kMaxRuleBytes &&
        (!rule.rule_loss || (is_loss(rule.rule_loss->mean) && is_loss(rule.rule_loss->worst))))
      rules.push_back(std::move(rule));
    else
      ++skipped;
  }
  return rules;
}

} // namespace warptune::db
