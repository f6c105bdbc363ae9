// Caches a connection's prepared statements. Recording a trial runs a dozen of them, and preparing one costs more than
// running it. The cache must be destroyed before the connection.
#pragma once

#include "db/records.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <limits>
#include <map>
#include <sqlite3.h>
#include <string>
#include <string_view>

namespace warptune::db {

// Binds bytes. SQLiteCpp takes their number as an int, and would cut a larger number.
inline void bind_bytes(SQLite::Statement& statement, int at, std::string_view bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw SQLite::Exception("string or blob too big", SQLITE_TOOBIG);
  statement.bind(at, bytes.data(), static_cast<int>(bytes.size()));
}

class Statements {
 public:
  explicit Statements(SQLite::Database& db) : db_(&db) {}

  // Returns a statement that is ready to be bound. It is valid until the same text is requested again.
  SQLite::Statement& get(const std::string& sql) {
    auto found = statements_.find(sql);
    if (found == statements_.end()) found = statements_.try_emplace(sql, *db_, sql).first;
    found->second.tryReset(); // the result is ignored: an error of the last run has already been thrown
    found->second.clearBindings();
    return found->second;
  }

  // Binds `values` in order and runs the statement to its end. Returns the first column of the first row; 0 if there is
  // no row.
  template <class... T> RowId run(const std::string& sql, const T&... values) {
    SQLite::Statement& statement = get(sql);
    int i = 1;
    (statement.bind(i++, values), ...);
    const RowId first = statement.executeStep() ? statement.getColumn(0).getInt64() : 0;
    statement.tryReset(); // otherwise the statement would keep its snapshot of the database
    return first;
  }

  SQLite::Database& database() { return *db_; }

 private:
  SQLite::Database* db_;
  std::map<std::string, SQLite::Statement, std::less<>> statements_;
};

} // namespace warptune::db
