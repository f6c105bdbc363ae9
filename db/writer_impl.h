// Code that the parts of the writer share: the connection, write transactions, and rows that are found by their content
// or else inserted. If a call fails, these functions throw SQLite::Exception, which write() turns into an error.
#pragma once

#include "db/connection.h"
#include "db/statements.h"
#include "db/trial_rows.h"
#include "db/write_log.h"
#include "db/writer.h"

#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <sqlite3.h>
#include <string>
#include <utility>

namespace warptune {

struct Writer::Impl {
  Impl(std::unique_ptr<SQLite::Database> opened, std::filesystem::path file)
      : db(std::move(opened)), path(std::move(file)), statements(*db) {}
  ~Impl() { db::settle_log(*db, is_unsettled); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::unique_ptr<SQLite::Database> db;
  std::filesystem::path path;
  mutable db::Statements statements;
  mutable std::map<RowId, std::string> kernel_names; // keyed by session, whose kernel never changes
  mutable std::uintmax_t bytes = 0;                  // the file's size when it was last checked
  mutable bool is_unsettled =
      false; // whether the log has rows of this writer, so that closing may wait for running queries

  // Runs `f` as one write transaction: all of it or nothing. Fails if the file was moved or replaced, because the data
  // would be lost.
  template <class F> auto write(F&& f) -> decltype(f()) {
    return db::guard(db.get(), path, "write", [&]() -> decltype(f()) {
      WT_CHECK(still_there());
      // If another program holds the lock, this constructor throws after $WARPTUNE_DB_TIMEOUT. Closing must then not
      // wait again.
      const bool was_unsettled = std::exchange(is_unsettled, false);
      SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::IMMEDIATE);
      is_unsettled = was_unsettled;
      auto result = f();
      if (result) transaction.commit();
      is_unsettled = is_unsettled || result;
      return result;
    });
  }

  // Fails if the open file was truncated. Also fails if it was deleted, moved or replaced, because data written to it
  // would be lost.
  Result<void> still_there() const {
    if (!has_moved()) return still_whole();
    db::settle_log(*db); // otherwise the log would be applied to a later file with this name
    return fail(ErrorKind::database,
                fmt::format("the database {} was deleted, moved or replaced while it was written to; new measurements "
                            "would be lost; put the database back and use --resume, or start again",
                            path.string()));
  }

  bool has_moved() const {
    int moved = 0;
    return sqlite3_file_control(db->getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
  }

  // Fails if the file has become smaller, unless the file is still complete (as after a VACUUM).
  Result<void> still_whole() const {
    std::error_code ec;
    const std::uintmax_t now = std::filesystem::file_size(path, ec);
    if (ec || now >= std::exchange(bytes, now)) return {};
    const auto look = db::open_read_only(path); // not with this connection, which has cached pages that no longer exist
    const bool whole = look && db::guard(look->get(), path, "read", [&]() -> Result<bool> {
                                 return (*look)->execAndGet("PRAGMA quick_check(1)").getString() == "ok";
                               }).value_or(false);
    if (whole) return {};
    bytes = std::numeric_limits<std::uintmax_t>::max(); // so that every later call fails too
    return fail(ErrorKind::database,
                fmt::format("the database {} was truncated while it was written to, and is damaged; "
                            "restore a copy, and use --resume or start again",
                            path.string()));
  }

  // See db::Statements::run.
  template <class... T> RowId query(const char* sql, const T&... values) const {
    return statements.run(sql, values...);
  }

  // Returns the id of the row that `select` finds, or else of the row that `insert` makes. `select` and `insert` get
  // the same values.
  template <class... T> RowId intern(const char* select, const char* insert, const T&... values) {
    if (const RowId found = query(select, values...)) return found;
    query(insert, values...);
    return db->getLastInsertRowid();
  }

  RowId toolchain(const std::string& driver, const std::string& compiler) {
    return intern("SELECT id FROM toolchains WHERE driver = ? AND compiler = ?",
                  "INSERT INTO toolchains (driver, compiler) VALUES (?, ?)", driver, compiler);
  }
  RowId device(const std::string& backend, const std::string& name, const std::string& uuid) {
    return intern("SELECT id FROM devices WHERE backend = ? AND name = ? AND uuid = ?",
                  "INSERT INTO devices (backend, name, uuid, arch, seen_at) VALUES (?, ?, ?, '', '')", backend, name,
                  uuid);
  }
  RowId kernel(const std::string& name, const std::string& source_hash) {
    return intern("SELECT id FROM kernels WHERE name = ? AND source_hash = ?",
                  "INSERT INTO kernels (name, source_hash, created_at) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%SZ'))",
                  name, source_hash);
  }
  RowId config(const std::string& kernel_name, const std::string& text) {
    return intern("SELECT id FROM configs WHERE kernel = ? AND text = ?",
                  "INSERT INTO configs (kernel, text) VALUES (?, ?)", kernel_name, text);
  }

  // Sets the status of the trials that match `condition`, whose own parameters begin at ?4.
  template <class... T>
  void set_status(const std::string& condition, TrialStatus status, const std::string& evidence, const T&... values) {
    const RowId shared = db::shared_evidence(statements, evidence);
    statements.run("UPDATE trials SET status = ?1, evidence = ?2, evidence_id = nullif(?3, 0) WHERE " + condition,
                   std::string(status_name(status)), shared == 0 ? evidence : std::string(), shared, values...);
  }

  // Returns the name of the session's kernel.
  Result<std::string> kernel_of(RowId session) const {
    const auto known = kernel_names.find(session);
    if (known != kernel_names.end()) return known->second;
    SQLite::Statement row(*db, "SELECT k.name FROM sessions s JOIN kernels k ON k.id = s.kernel_id WHERE s.id = ?");
    row.bind(1, session);
    if (row.executeStep()) return kernel_names[session] = row.getColumn(0).getString();
    return fail(ErrorKind::database, fmt::format("the database {} has no session {}", path.string(), session));
  }
};

} // namespace warptune
