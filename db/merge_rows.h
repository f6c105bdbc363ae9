// Reads and writes a database's rows as values, for merging. Reads the references between tables from the schema. So a
// new column needs no change here, and neither does a new table of parts (rows that belong to a row of another table).
// Throws SQLite::Exception, which merge.cpp catches.
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
  std::vector<std::size_t> key;  // columns that identify a row across databases; empty: all columns except the id
  std::optional<std::size_t> id; // the INTEGER PRIMARY KEY, which has a meaning only in this database
  std::optional<std::size_t>
      owner; // the column with ON DELETE CASCADE; this row is a part of the row to which the column refers
  std::string owner_table;
  std::vector<Reference> references; // the other foreign keys

  std::size_t column(const std::string& name) const; // throws SQLite::Exception
};

struct Row {
  const Table* table = nullptr;
  std::vector<Value> values;

  RowId id() const;
  const Value& operator[](const std::string& column) const { return values[table->column(column)]; }
  Value& operator[](const std::string& column) { return values[table->column(column)]; }
  std::string text(const std::string& column) const; // the value as text; "" if it is not a text
};

// Thrown for a row that no reader accepts.
struct ImpossibleRow : std::exception {
  const char* what() const noexcept override { return "a row has impossible values"; }
};
// Thrown for a row that refers to a row that does not exist.
struct DanglingReference : std::exception {
  const char* what() const noexcept override { return "a row refers to a row that does not exist"; }
};

class Rows {
 public:
  // `like`: the database whose order of columns is used, because older versions may have added columns in another
  // order.
  explicit Rows(SQLite::Database& db, const Rows* like = nullptr);

  const std::map<std::string, Table>& tables() const { return tables_; }
  const Table& table(const std::string& name) const; // throws SQLite::Exception if the schema is damaged or foreign
  void leave_out(const std::string& table) { tables_.erase(table); }
  std::vector<const Table*> parts_of(const std::string& table) const;

  std::vector<Row> all(const Table& table);
  // Reads the rows one by one, because tables may be large.
  void for_each(const Table& table, const std::function<void(const Row&)>& visit);
  std::vector<Row> where(const Table& table, const std::vector<std::size_t>& columns, const std::vector<Value>& values);
  Row at(const Table& table, RowId id); // throws DanglingReference
  // Returns the rows of table `part` that the row `owner` owns.
  std::vector<Row> parts(const Table& part, RowId owner) { return where(part, {*part.owner}, {owner}); }

  RowId insert(const Row& row); // a NULL id becomes a new one; throws if a constraint fails
  void set(const Row& row, const std::string& column, const Value& value);
  void erase(const Row& row);

  // Returns the content of the row and its parts as JSON, without ids of this database, so equal texts mean equal
  // contents. `without`: columns and tables of parts to leave out.
  std::string content(const Row& row, const std::vector<std::string>& without = {});

  Statements& statements() { return statements_; }

 private:
  using Key = std::pair<const Table*, std::vector<std::size_t>>; // (table, columns)
  std::vector<Row> select(const Table& table, SQLite::Statement& statement, const std::vector<Value>& values);

  std::map<std::string, Table> tables_;
  Statements statements_;
  // Statements are cached, because a merge runs a dozen of them per trial. Composing a statement costs more than
  // running it.
  std::map<Key, SQLite::Statement> selects_; // statements that select rows by the values of these columns
  std::map<const Table*, SQLite::Statement> inserts_;
};

std::string json(const std::string& text);

} // namespace warptune::db
