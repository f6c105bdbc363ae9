// Rows of one database as values, for merging: which table refers to which is read from the schema, so that a new
// column or a table that belongs to a trial is merged without a line here. Throws SQLite::Exception; merge.cpp guards.
#pragma once

#include "db/statements.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
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
  std::vector<std::size_t> key;     // what makes a row the same in two databases; all but the id where nothing does
  std::optional<std::size_t> id;    // the INTEGER PRIMARY KEY: a number of this database alone
  std::optional<std::size_t> owner; // the column with ON DELETE CASCADE: the row is a part of that one
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
  std::string text(const std::string& column) const; // "" when it is no text
};

// A row that no reader would give.
struct ImpossibleRow : std::exception {
  const char* what() const noexcept override { return "a row holds impossible values"; }
};
// A row refers to one that is not there.
struct DanglingReference : std::exception {
  const char* what() const noexcept override { return "a row refers to a row that does not exist"; }
};

class Rows {
 public:
  // Columns stand in the order that they have in `like`, where a later version added them in another.
  explicit Rows(SQLite::Database& db, const Rows* like = nullptr);

  const std::map<std::string, Table>& tables() const { return tables_; }
  const Table& table(const std::string& name) const; // throws SQLite::Exception: a damaged or foreign schema
  void leave_out(const std::string& table) { tables_.erase(table); }
  std::vector<const Table*> parts_of(const std::string& table) const;

  std::vector<Row> all(const Table& table);
  // One row at a time, where a table may be large.
  void for_each(const Table& table, const std::function<void(const Row&)>& visit);
  std::vector<Row> where(const Table& table, const std::vector<std::size_t>& columns, const std::vector<Value>& values);
  Row at(const Table& table, RowId id); // throws DanglingReference
  // Its parts: rows whose owner it is.
  std::vector<Row> parts(const Table& part, RowId owner) { return where(part, {*part.owner}, {owner}); }

  RowId insert(const Row& row); // a NULL id is a new one; throws on a constraint
  void set(const Row& row, const std::string& column, const Value& value);
  void erase(const Row& row);

  // All that the row and its parts say, as JSON without the numbers of this database: equal text, equal content.
  // `without` names columns and tables of parts that are left out.
  std::string content(const Row& row, const std::vector<std::string>& without = {});

  Statements& statements() { return statements_; }

 private:
  std::vector<Row> select(const Table& table, const std::string& condition, const std::vector<Value>& values);

  std::map<std::string, Table> tables_;
  Statements statements_;
};

std::string json(const std::string& text);

} // namespace warptune::db
