#include "db/schema_check.h"

#include "db/migrations.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sqlite3.h>
#include <string_view>

namespace warptune::db {
namespace {

// From a name in lower case (SQLite ignores case) to the statement that created it.
using Schema = std::map<std::string, std::string>;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// SQLite versions differ in the quotes and white space that ALTER TABLE leaves.
std::string plain(std::string_view sql) {
  std::string out;
  for (const char c : sql) {
    if (c == '"') continue;
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

bool is_internal(const std::string& name) { return name.starts_with("sqlite_"); } // names that CREATE rejects

Schema schema_of(SQLite::Database& db) {
  Schema schema;
  SQLite::Statement row(db, "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL");
  while (row.executeStep())
    if (std::string name = lower(row.getColumn(0).getString()); !is_internal(name))
      schema.emplace(std::move(name), plain(row.getColumn(1).getString()));
  return schema;
}

// Indexed by version, from 1.
const std::vector<Schema>& known_schemas() {
  static const std::vector<Schema>& schemas = *new std::vector<Schema>([] {
    std::vector<Schema> made(1);
    const std::vector<Migration> migrations = embedded_migrations();
    SQLite::Database db(":memory:", SQLite::OPEN_READWRITE);
    for (std::size_t count = 1; count <= migrations.size(); ++count) {
      migrate(db, std::span(migrations).first(count));
      made.push_back(schema_of(db));
    }
    return made;
  }());
  return schemas;
}

bool skip(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}
bool skip_number(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.e+-"), text.size());
  text.remove_prefix(end);
  return end > 0;
}

// The length of this column's CHECK in the form that member_columns makes. Any range is accepted: other versions may
// use another.
std::size_t length_of_check(const std::string_view text, const std::string& column) {
  std::string_view rest = text;
  const auto is_range = [&] {
    if (skip(rest, "IN (0, 1)")) return true;
    if (skip(rest, ">= ")) return skip_number(rest);
    return skip(rest, "BETWEEN ") && skip_number(rest) && skip(rest, " AND ") && skip_number(rest);
  };
  const bool is_ours = skip(rest, " CHECK (" + column + " ") && is_range() && skip(rest, ")");
  return is_ours ? text.size() - rest.size() : 0;
}

// The table's statement without the member columns up to this version. A table made between two of them lacks some
// columns, and one made earlier has no CHECKs.
std::string without_member_columns(std::string sql, const std::string& table, int version) {
  for (const MemberColumn& column : member_columns()) {
    if (column.table != table || column.since > version) continue;
    const std::string text = ", " + column.definition;
    const std::size_t at = sql.find(text);
    if (at == std::string::npos) continue;
    sql.erase(at, text.size());
    sql.erase(at, length_of_check(std::string_view(sql).substr(at), column.name));
  }
  return sql;
}

} // namespace

std::string foreign_schema(SQLite::Database& db, int version) {
  const Schema& expected = known_schemas().at(static_cast<std::size_t>(version));
  SQLite::Statement row(db, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema");
  while (row.executeStep()) {
    const std::string type = row.getColumn(0).getString(), name = row.getColumn(1).getString(),
                      sql = plain(row.getColumn(3).getString());
    const auto known = expected.find(lower(name));
    if (known != expected.end() && (known->second == sql || without_member_columns(known->second, name, version) ==
                                                                without_member_columns(sql, name, version)))
      continue;
    const bool of_a_key = type == "index" && sql.empty(); // belongs to its table
    if (of_a_key || (is_internal(lower(name)) && type == "table")) continue;
    const bool ours = known != expected.end() || expected.contains(lower(row.getColumn(2).getString()));
    // SQLite executes the text and ignores `type`, so both must agree.
    const bool plain_table = type == "table" && sql.starts_with("CREATE TABLE ");
    const bool plain_index = type == "index" && (sql.starts_with("CREATE INDEX ") || sql.starts_with("CREATE UNIQUE "));
    if (!ours && (plain_table || plain_index)) continue;
    return type + " " + name;
  }
  return {};
}

void distrust(SQLite::Database& db) {
  sqlite3* const handle = db.getHandle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  for (const int off : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                        SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_WRITABLE_SCHEMA})
    sqlite3_db_config(handle, off, 0, nullptr);
}

} // namespace warptune::db
