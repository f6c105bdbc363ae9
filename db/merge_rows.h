// Reads and writes rows of one database as values, for merging. References between tables are read from the schema, so
// a new column or part of a trial is merged without changes here. Throws SQLite::Exception; merge.cpp catches it.
#pragma once

#include "db/statements.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warptune::db {

struct Blob {
  std::string bytes;
};
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;

struct Table {
  struct Reference {
    std::size_t column;
    std::string table;
  };
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::size_t> key;     // columns that identify a row across databases; if there is no key, all but the id
  std::optional<std::size_t> id;    // the INTEGER PRIMARY KEY: an id that is valid only in this database
  std::optional<std::size_t> owner; // column with ON DELETE CASCADE: this row is a part of the referenced row
  std::string owner_table;
  std::vector<Reference> references; // all other foreign keys

  std::size_t column(const std::string& name) const; // throws SQLite::Exception
};

struct Row {
  const Table* table = nullptr;
  std::vector<Value> values;

  RowId id() const;
  const Value& operator[](const std::string& column) const { return values[table->column(column)]; }
  Value& operator[](const std::string& column) { return values[table->column(column)]; }
  std::string text(const std::string& column) const; // the value as a string; "" if it is not a text
};

// Thrown for a row that no reader would return.
struct ImpossibleRow : std::exception {
  const char* what() const noexcept override { return "a row holds impossible values"; }
};
// Thrown if a row refers to a missing row.
struct DanglingReference : std::exception {
  const char* what() const noexcept override { return "a row refers to a row that does not exist"; }
};

class Rows {
 public:
  // `like`: defines the order of the columns, because versions may have added them in different orders.
  explicit Rows(SQLite::Database& db, const Rows* like = nullptr);

  const std::map<std::string, Table>& tables() const { return tables_; }
  const Table& table(const std::string& name) const; // throws SQLite::Exception: a damaged or foreign schema
  void leave_out(const std::string& table) { tables_.erase(table); }
  std::vector<const Table*> parts_of(const std::string& table) const;

  std::vector<Row> all(const Table& table);
  // Reads one row at a time, because tables may be large.
  void for_each(const Table& table, const std::function<void(const Row&)>& visit);
  std::vector<Row> where(const Table& table, const std::vector<std::size_t>& columns, const std::vector<Value>& values);
  Row at(const Table& table, RowId id); // throws DanglingReference
  // Returns the parts of a row: the rows that it owns.
  std::vector<Row> parts(const Table& part, RowId owner) { return where(part, {*part.owner}, {owner}); }

  RowId insert(const Row& row); // a NULL id gets a new one; throws if a constraint fails
  void set(const Row& row, const std::string& column, const Value& value);
  void erase(const Row& row);

  // The content of the row and its parts as JSON, without ids of this database: equal text means equal content.
  // `without`: columns and part tables to leave out.
  std::string content(const Row& row, const std::vector<std::string>& without = {});

  Statements& statements() { return statements_; }

 private:
  using Key = std::pair<const Table*, std::vector<std::size_t>>; // a table and columns of it
  std::vector<Row> select(const Table& table, SQLite::Statement& statement, const std::vector<Value>& values);

  std::map<std::string, Table> tables_;
  Statements statements_;
  // Cached: a merge runs a dozen statements per trial, and composing a statement's text costs more than running it.
  std::map<Key, SQLite::Statement> selects_; // select rows by the values of these columns
  std::map<const Table*, SQLite::Statement> inserts_;
};

std::string json(const std::string& text);

} // namespace warptune::db
