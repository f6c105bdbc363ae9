#include "db/merge_rows.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sqlite3.h>
#include <string_view>

namespace warptune::db {
namespace {

std::string quoted(const std::string& name) { // names come from the schema of an untrusted file
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

struct FoundColumn {
  std::string name, type;
  int primary;
};

std::vector<FoundColumn> columns_of(SQLite::Database& db, const std::string& table, const Table* like) {
  std::vector<FoundColumn> columns;
  SQLite::Statement column(db, "SELECT name, type, pk FROM pragma_table_info(?)");
  column.bind(1, table);
  while (column.executeStep())
    columns.push_back({column.getColumn(0).getString(), column.getColumn(1).getString(), column.getColumn(2).getInt()});
  if (like)
    std::stable_sort(columns.begin(), columns.end(), [&](const FoundColumn& a, const FoundColumn& b) {
      const auto place = [&](const FoundColumn& c) {
        return std::find(like->columns.begin(), like->columns.end(), c.name);
      };
      return place(a) < place(b);
    });
  return columns;
}

Table read_table(SQLite::Database& db, const std::string& name, const Table* like) {
  Table table;
  table.name = name;
  std::vector<std::size_t> primary;
  for (const FoundColumn& column : columns_of(db, name, like)) {
    if (column.primary != 0) primary.push_back(table.columns.size());
    if (column.primary == 1 && column.type == "INTEGER" && column.name == "id") table.id = table.columns.size();
    table.columns.push_back(column.name);
  }
  SQLite::Statement key(db, "SELECT \"from\", \"table\", on_delete FROM pragma_foreign_key_list(?)");
  key.bind(1, name);
  while (key.executeStep()) {
    const std::size_t from = table.column(key.getColumn(0).getString());
    if (key.getColumn(2).getString() == "CASCADE") {
      table.owner = from;
      table.owner_table = key.getColumn(1).getString();
    } else {
      table.references.push_back({from, key.getColumn(1).getString()});
    }
  }
  SQLite::Statement unique(db,
                           "SELECT c.name FROM pragma_index_list(?1) i JOIN pragma_index_info(i.name) c WHERE i.seq = "
                           "(SELECT max(seq) FROM pragma_index_list(?1) WHERE origin = 'u')");
  unique.bind(1, name);
  while (unique.executeStep()) table.key.push_back(table.column(unique.getColumn(0).getString()));
  if (table.key.empty() && !table.id) table.key = primary;
  if (table.key.empty())
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (i != table.id) table.key.push_back(i);
  return table;
}

std::string names_text(const Table& table) {
  std::string names;
  for (const std::string& column : table.columns) names += (names.empty() ? "" : ", ") + quoted(column);
  return names;
}

std::string select_text(const Table& table) { return "SELECT " + names_text(table) + " FROM " + quoted(table.name); }

void bind(SQLite::Statement& statement, int at, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    statement.bind(at, *integer);
  else if (const auto* number = std::get_if<double>(&value))
    statement.bind(at, *number);
  else if (const auto* text = std::get_if<std::string>(&value))
    statement.bind(at, *text);
  else if (const auto* blob = std::get_if<Blob>(&value))
    bind_bytes(statement, at, blob->bytes);
  else
    statement.bind(at);
}

Value value_of(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isText()) return column.getString();
  if (column.isBlob()) return Blob{column.getString()};
  return std::monostate{};
}

std::string json(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value))
    return std::isfinite(*number) ? fmt::format("{}", *number) : (*number > 0 ? "1e999" : "-1e999");
  if (const auto* text = std::get_if<std::string>(&value)) return db::json(*text);
  if (const auto* blob = std::get_if<Blob>(&value)) {
    std::string hex = "\"";
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const char c : blob->bytes) {
      const auto byte = static_cast<unsigned char>(c);
      hex += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return hex + "\"";
  }
  return "null";
}

} // namespace

std::string json(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::size_t Table::column(const std::string& column_name) const {
  const auto found = std::find(columns.begin(), columns.end(), column_name);
  if (found == columns.end())
    throw SQLite::Exception(fmt::format("the table {} has no column {}", name, column_name), SQLITE_ERROR);
  return static_cast<std::size_t>(found - columns.begin());
}

RowId Row::id() const {
  const auto* number = table->id ? std::get_if<std::int64_t>(&values[*table->id]) : nullptr;
  return number == nullptr ? 0 : *number;
}

std::string Row::text(const std::string& column) const {
  const auto* text = std::get_if<std::string>(&(*this)[column]);
  return text == nullptr ? std::string() : *text;
}

Rows::Rows(SQLite::Database& db, const Rows* like) : statements_(db) {
  std::vector<std::string> names;
  SQLite::Statement row(
      db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
  while (row.executeStep()) names.push_back(row.getColumn(0).getString());
  for (const std::string& name : names) {
    const bool is_known = like && like->tables_.count(name) != 0;
    tables_.emplace(name, read_table(db, name, is_known ? &like->tables_.at(name) : nullptr));
  }
}

const Table& Rows::table(const std::string& name) const {
  const auto found = tables_.find(name);
  if (found == tables_.end()) throw SQLite::Exception("no such table: " + name, SQLITE_ERROR);
  return found->second;
}

std::vector<const Table*> Rows::parts_of(const std::string& name) const {
  std::vector<const Table*> found;
  for (const auto& [_, table] : tables_)
    if (table.owner && table.owner_table == name) found.push_back(&table);
  return found;
}

std::vector<Row> Rows::select(const Table& table, SQLite::Statement& statement, const std::vector<Value>& values) {
  statement.tryReset();
  for (std::size_t i = 0; i < values.size(); ++i) bind(statement, static_cast<int>(i) + 1, values[i]);
  std::vector<Row> rows;
  while (statement.executeStep()) {
    Row& row = rows.emplace_back();
    row.table = &table;
    row.values.reserve(table.columns.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      row.values.push_back(value_of(statement.getColumn(static_cast<int>(i))));
  }
  statement.tryReset(); // a statement that is not reset keeps its snapshot
  return rows;
}

std::vector<Row> Rows::all(const Table& table) { return where(table, {}, {}); }

void Rows::for_each(const Table& table, const std::function<void(const Row&)>& visit) {
  std::vector<RowId> ids;
  SQLite::Statement id(statements_.database(), "SELECT rowid FROM " + quoted(table.name) + " ORDER BY rowid");
  while (id.executeStep()) ids.push_back(id.getColumn(0).getInt64());
  SQLite::Statement by_id(statements_.database(), select_text(table) + " WHERE rowid = ?");
  for (const RowId rowid : ids)
    for (const Row& row : select(table, by_id, {rowid})) visit(row);
}

std::vector<Row> Rows::where(const Table& table, const std::vector<std::size_t>& columns,
                             const std::vector<Value>& values) {
  auto found = selects_.find({&table, columns});
  if (found == selects_.end()) {
    std::string sql = select_text(table);
    for (std::size_t i = 0; i < columns.size(); ++i)
      sql += (i == 0 ? " WHERE " : " AND ") + quoted(table.columns[columns[i]]) + " IS ?";
    if (table.id) sql += " ORDER BY id";
    found = selects_.try_emplace({&table, columns}, statements_.database(), sql).first;
  }
  return select(table, found->second, values);
}

Row Rows::at(const Table& table, RowId id) {
  if (!table.id) throw DanglingReference();
  std::vector<Row> rows = where(table, {*table.id}, {id});
  if (rows.empty()) throw DanglingReference();
  return std::move(rows.front());
}

RowId Rows::insert(const Row& row) {
  auto found = inserts_.find(row.table);
  if (found == inserts_.end()) {
    std::string places;
    for (std::size_t i = 0; i < row.table->columns.size(); ++i) places += i == 0 ? "?" : ", ?";
    const std::string sql =
        "INSERT INTO " + quoted(row.table->name) + " (" + names_text(*row.table) + ") VALUES (" + places + ")";
    found = inserts_.try_emplace(row.table, statements_.database(), sql).first;
  }
  SQLite::Statement& statement = found->second;
  statement.tryReset();
  for (std::size_t i = 0; i < row.values.size(); ++i) bind(statement, static_cast<int>(i) + 1, row.values[i]);
  statement.exec();
  return statements_.database().getLastInsertRowid();
}

void Rows::set(const Row& row, const std::string& column, const Value& value) {
  const std::size_t by = row.table->id ? *row.table->id : row.table->key.front();
  SQLite::Statement& statement = statements_.get("UPDATE " + quoted(row.table->name) + " SET " + quoted(column) +
                                                 " = ? WHERE " + quoted(row.table->columns[by]) + " = ?");
  bind(statement, 1, value);
  bind(statement, 2, row.values[by]);
  statement.exec();
}

void Rows::erase(const Row& row) {
  const std::size_t by = row.table->id ? *row.table->id : row.table->key.front();
  SQLite::Statement& statement =
      statements_.get("DELETE FROM " + quoted(row.table->name) + " WHERE " + quoted(row.table->columns[by]) + " = ?");
  bind(statement, 1, row.values[by]);
  statement.exec();
}

std::string Rows::content(const Row& row, const std::vector<std::string>& without) {
  const auto left_out = [&](const std::string& name) {
    return std::find(without.begin(), without.end(), name) != without.end();
  };
  const Table& table = *row.table;
  std::string out = "{";
  const auto add = [&](const std::string& name, const std::string& value) {
    out += (out.size() == 1 ? "" : ",") + json(name) + ":" + value;
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i == table.id || i == table.owner || left_out(table.columns[i])) continue;
    const auto reference = std::find_if(table.references.begin(), table.references.end(),
                                        [&](const Table::Reference& r) { return r.column == i; });
    const auto* id = std::get_if<std::int64_t>(&row.values[i]);
    if (reference == table.references.end() || id == nullptr) {
      add(table.columns[i], json(row.values[i]));
      continue;
    }
    // A device or a kernel is represented by its key: its content may differ, and is compared separately.
    const Row target = at(this->table(reference->table), *id);
    if (reference->table != "devices" && reference->table != "kernels") {
      add(table.columns[i], content(target, {"hash"})); // a text's hash adds no information
      continue;
    }
    std::string key;
    for (const std::size_t column : target.table->key)
      key += (key.empty() ? "" : ",") + json(target.table->columns[column]) + ":" + json(target.values[column]);
    add(table.columns[i], "{" + key + "}");
  }
  if (row.id() != 0)
    for (const Table* part : parts_of(table.name)) {
      if (left_out(part->name)) continue;
      std::vector<std::string> contents;
      for (const Row& child : parts(*part, row.id())) contents.push_back(content(child));
      std::sort(contents.begin(), contents.end());
      add(part->name, "[" + fmt::format("{}", fmt::join(contents, ",")) + "]");
    }
  return out + "}";
}

} // namespace warptune::db
