// Malicious changes of single values in an SQLite file. While the changes are made, the schema has no types and
// conditions; afterwards the original schema is restored. The changes do not depend on the meaning of the values.
#pragma once

#include "fuzz/bytes.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <regex>
#include <sqlite3.h>
#include <string>
#include <vector>

namespace warptune::fuzz {

class ChangedRows {
 public:
  // pages: the content of the whole file.
  explicit ChangedRows(const std::string& pages) {
    SQLite::Database db(":memory:", SQLite::OPEN_READWRITE);
    load(db, pages);
    SQLite::Statement row(db, "SELECT name, sql FROM sqlite_schema WHERE type = 'table'");
    db.exec("PRAGMA writable_schema = ON");
    while (row.executeStep()) {
      const Statement table{row.getColumn(0).getString(), row.getColumn(1).getString()};
      SQLite::Statement rows(db, "SELECT count(*) FROM " + table.name);
      rows.executeStep();
      if (rows.getColumn(0).getInt() == 0) continue;
      schema_.push_back(table);
      tables_.push_back(describe(db, table.name));
    }
    for (const Statement& table : schema_) set_schema(db, table.name, without_conditions(table.sql));
    pages_ = save(db);
  }

  // Returns the file with changes that are drawn from the input until the input is used up.
  std::string change(Bytes& bytes) const {
    SQLite::Database db(":memory:", SQLite::OPEN_READWRITE);
    load(db, pages_);
    db.exec("PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON; BEGIN");
    for (int changes = 0; !bytes.is_empty() && changes < 32; ++changes) {
      const Table& table = tables_[bytes.byte() % tables_.size()];
      const std::string& column = table.columns[bytes.byte() % table.columns.size()];
      try {
        change_value(db, bytes, table, column);
      } catch (const SQLite::Exception&) { // the key exists already, or the value is too long
      }
    }
    for (const Statement& table : schema_) set_schema(db, table.name, table.sql);
    db.exec("COMMIT");
    return save(db);
  }

 private:
  struct Statement {
    std::string name, sql;
  };
  struct Table {
    std::string name, key; // key: columns, separated by commas
    std::vector<std::string> columns;
  };

  static void load(SQLite::Database& db, const std::string& pages) {
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(pages.size()));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, pages.data(), pages.size());
    const auto size = static_cast<sqlite3_int64>(pages.size());
    if (sqlite3_deserialize(db.getHandle(), "main", copy, size, size,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) != SQLITE_OK)
      throw SQLite::Exception(db.getHandle());
  }
  static std::string save(SQLite::Database& db) {
    sqlite3_int64 size = 0;
    unsigned char* const copy = sqlite3_serialize(db.getHandle(), "main", &size, 0);
    if (copy == nullptr) throw std::bad_alloc();
    std::string pages(reinterpret_cast<const char*>(copy), static_cast<std::size_t>(size));
    sqlite3_free(copy);
    return pages;
  }

  static Table describe(SQLite::Database& db, const std::string& name) {
    Table table{name, "", {}};
    SQLite::Statement row(db, "PRAGMA table_info(" + name + ")");
    while (row.executeStep()) {
      table.columns.push_back(row.getColumn(1).getString());
      if (row.getColumn(5).getInt() > 0) table.key += (table.key.empty() ? "" : ", ") + table.columns.back();
    }
    return table;
  }
  // Allows any value of any type; keys and the storage of rows do not change.
  static std::string without_conditions(const std::string& sql) {
    std::string text = std::regex_replace(sql, std::regex("\\s+"), " ");
    for (const char* pattern : {"IS NOT NULL", "NOT NULL"})
      text = std::regex_replace(text, std::regex(pattern), pattern[0] == 'I' ? "<> ''" : "");
    text = std::regex_replace(text, std::regex(" (TEXT|REAL|BLOB|INTEGER(?! PRIMARY KEY))\\b"), "");
    return std::regex_replace(text, std::regex("\\) STRICT(, )?"), ") ");
  }
  static void set_schema(SQLite::Database& db, const std::string& table, const std::string& sql) {
    SQLite::Statement update(db, "UPDATE sqlite_schema SET sql = ?1 WHERE name = ?2");
    update.bind(1, sql);
    update.bind(2, table);
    update.exec();
  }

  void change_value(SQLite::Database& db, Bytes& bytes, const Table& table, const std::string& column) const {
    const std::string nth = "(" + table.key + ") = (SELECT " + table.key + " FROM " + table.name +
                            " LIMIT 1 OFFSET ?1 % " + "(SELECT count(*) FROM " + table.name + "))";
    const int row = bytes.byte();
    const std::uint8_t kind = bytes.byte();
    if (kind == 255) {
      SQLite::Statement remove(db, "DELETE FROM " + table.name + " WHERE " + nth);
      remove.bind(1, row);
      remove.exec();
      return;
    }
    SQLite::Statement update(db, "UPDATE " + table.name + " SET " + column + " = ?2 WHERE " + nth);
    update.bind(1, row);
    switch (kind % 8) {
    case 0: // null
      break;
    case 1:
      update.bind(2, edge(bytes.byte()));
      break;
    case 2:
      update.bind(2, static_cast<std::int64_t>(bytes.word()));
      break;
    case 3: {
      static constexpr double kInfinity = std::numeric_limits<double>::infinity();
      static constexpr std::array kReals = {0.0, -0.0, -1.0, 0.5, 1e-308, 1e308, kInfinity, -kInfinity};
      update.bind(2, kReals[bytes.byte() % kReals.size()]);
      break;
    }
    case 4:
      update.bind(2, bytes.text(bytes.byte()));
      break;
    case 5: {
      const std::string blob = bytes.text(bytes.byte());
      update.bind(2, blob.data(), static_cast<int>(blob.size()));
      break;
    }
    default: { // replaces a part of the value
      SQLite::Statement select(db, "SELECT " + column + " FROM " + table.name + " WHERE " + nth);
      select.bind(1, row);
      if (!select.executeStep()) return;
      std::string value = select.getColumn(0).getString();
      const std::size_t at = bytes.word(2) % (value.size() + 1);
      const std::size_t erased = bytes.byte();
      value.replace(at, erased, bytes.text(bytes.byte() % 32));
      if (kind % 8 == 6)
        update.bind(2, value);
      else // repeated until it is long
        update.bind(2, repeated(value, 1 + bytes.byte()));
      break;
    }
    }
    update.exec();
  }
  static std::int64_t edge(std::uint8_t which) {
    static constexpr std::array<std::int64_t, 8> kEdges = {0, -1, 1, 2, INT32_MAX, INT64_MAX, INT64_MIN, 1LL << 40};
    return which < 128 ? which : kEdges[which % kEdges.size()];
  }
  static std::string repeated(const std::string& value, int times) {
    std::string all;
    for (int i = 0; i < times && all.size() < (1U << 16); ++i) all += value;
    return all;
  }

  std::vector<Statement> schema_; // the schema's statements, only of tables that have rows
  std::vector<Table> tables_;
  std::string pages_;
};

} // namespace warptune::fuzz
