#include "db/connection.h"

#include "core/replace_all.h"
#include "db/pack_file.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warptune::db {

namespace fs = std::filesystem;

namespace {

bool no_space(int system_errno) { return system_errno == ENOSPC || system_errno == EFBIG || system_errno == EDQUOT; }

// SQLite says "unable to open database file" for many causes; this function finds the one that applies.
std::string cannot_open(const fs::path& path) {
  std::error_code ec;
  const fs::path directory = path.parent_path();
  struct stat unused {};
  if (::stat(path.c_str(), &unused) != 0 && errno != ENOENT && errno != EACCES)
    return fmt::format("cannot open the database {}: {}; name another file with --db", path.string(),
                       errno == ELOOP ? "its symbolic links form a loop" : std::strerror(errno));
  if (!fs::exists(path, ec) && !fs::is_directory(directory, ec))
    return fmt::format("cannot open the database {}: there is no folder {}; create it or name another file with --db",
                       path.string(), directory.string());
  if (fs::exists(path, ec) && ::access(path.c_str(), R_OK) != 0)
    return fmt::format(
        "cannot open the database {}: no permission to read it; ask its owner or name another file with --db",
        path.string());
  if (::access(directory.c_str(), W_OK) != 0)
    return fmt::format("cannot write the database {}: its folder is read-only; name a file in a writable folder with "
                       "--db or WARPTUNE_DB",
                       path.string());
  return fmt::format("cannot open the database {}; check its permissions or name another file with --db",
                     path.string());
}

// Every reader creates -wal and -shm files; only a writable connection removes them, when it is the last to close. A
// log that already holds changes is left for a writer to merge.
bool may_tidy(const fs::path& path) {
  return !has_log(path) && ::access(path.c_str(), W_OK) == 0 && ::access(path.parent_path().c_str(), W_OK) == 0;
}

// A URI, because SQLite accepts "immutable" only as a URI parameter. It means no locks and no -shm file, and is correct
// only if no process can write the file.
std::string immutable_uri(const fs::path& path) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '.' || c == '-' || c == '_')
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1";
}

} // namespace

Error explain(const SQLite::Exception& e, sqlite3* db, const fs::path& path, const std::string& action) {
  const std::string file = path.string();
  const int system_errno = db ? sqlite3_system_errno(db) : 0;
  // The exceptions of SQLite's backup have the extended code as their code.
  const int extended = e.getErrorCode() > 0xFF ? e.getErrorCode() : e.getExtendedErrorCode();
  std::string text;
  switch (e.getErrorCode() & 0xFF) {
  case SQLITE_NOTADB:
    text = fmt::format("{} is not a warptune database, because it is not an SQLite file; name another file with --db",
                       file);
    break;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    text = fmt::format("the database {} {}; wait for that program or end it (`fuser {}` names it), then try again; "
                       "WARPTUNE_DB_TIMEOUT sets the waiting time in seconds",
                       file,
                       busy_timeout_ms() == 0
                           ? "is locked by another program"
                           : fmt::format("was locked by another program for {:g} s", busy_timeout_ms() / 1000.0),
                       file);
    break;
  case SQLITE_READONLY:
    text = fmt::format("cannot write the database {}: the file or its folder is read-only; name another file with --db "
                       "or WARPTUNE_DB",
                       file);
    break;
  case SQLITE_FULL:
    text = fmt::format("cannot write the database {}: the disk is full; free some space or name another file with "
                       "--db; earlier results are kept",
                       file);
    break;
  case SQLITE_IOERR:
    // A short write sets no errno: the disk accepted only part of the data.
    if (action == "read" && (no_space(system_errno) || extended == SQLITE_IOERR_WRITE)) {
      text = fmt::format("cannot read the database {}: the disk is full or a file size limit is reached, and SQLite "
                         "needs temporary files; free some space, or name another folder for them with SQLITE_TMPDIR",
                         file);
      break;
    }
    text = no_space(system_errno) || extended == SQLITE_IOERR_WRITE
               ? fmt::format("cannot write the database {}: the disk is full or a file size limit is reached; free "
                             "some space or name another file with --db; earlier results are kept",
                             file)
               : fmt::format("cannot {} the database {}: {}; check the disk, or name another file with --db", action,
                             file, e.what());
    break;
  case SQLITE_CORRUPT:
    text =
        fmt::format("the database {} is damaged ({}); restore a copy, or recover the rest with `sqlite3 {} .recover`",
                    file, e.what(), file);
    break;
  case SQLITE_CANTOPEN:
    text = no_space(system_errno) ? fmt::format("cannot write the database {}: the disk is full; free some space", file)
                                  : cannot_open(path);
    break;
  case SQLITE_TOOBIG:
    text =
        fmt::format("cannot {} the database {}: a cubin or another value is larger than SQLite's limit of 10^9 bytes; "
                    "use smaller kernels or fewer samples",
                    action, file);
    break;
  default:
    text = fmt::format("cannot {} the database {}: {}; if it was made by another program, name another file with --db",
                       action, file, e.what());
  }
  return {ErrorKind::database, std::move(text)};
}

Error about_output(Error error, const fs::path& used, const fs::path& output, const std::string& option) {
  std::string& text = error.message;
  if (used != output) {
    replace_all(text, used.string(), output.string());
    replace_all(text, "; earlier results are kept", ""); // nothing was recorded before
  }
  const bool is_output = text.find(output.string()) != std::string::npos; // else an input
  const std::string with = is_output && !option.empty() ? " with " + option : "";
  replace_all(text, " with --db or WARPTUNE_DB", with);
  replace_all(text, " with --db", with);
  return error;
}

bool is_run_folder(const fs::path& folder) {
  std::error_code ec;
  return fs::is_regular_file(folder / "run.json", ec);
}

Result<fs::path> check_path(const fs::path& path) {
  std::error_code ec;
  fs::path absolute = fs::absolute(path, ec);
  if (ec || path.empty())
    return fail(ErrorKind::database, fmt::format("'{}' cannot be the path of a database; name a file", path.string()));
  if (is_run_folder(absolute))
    return fail(ErrorKind::database, fmt::format("{0} is the run folder of a sweep; collect its results with `warptune "
                                                 "merge -o all.db {0}`, and name that file",
                                                 path.string()));
  if (fs::is_directory(absolute, ec))
    return fail(ErrorKind::database, fmt::format("the database {} is a folder; name a file in it, such as {}",
                                                 path.string(), (path / "warptune.db").string()));
  if (fs::exists(absolute, ec) && !fs::is_regular_file(absolute, ec)) // SQLite would wait for a pipe
    return fail(ErrorKind::database, fmt::format("the database {} is a pipe, a socket or a device; name a file with "
                                                 "--db or WARPTUNE_DB",
                                                 path.string()));
  return absolute;
}

Result<int> check_schema(SQLite::Database& db, const fs::path& path) {
  // One snapshot: another program may be creating the tables right now.
  SQLite::Transaction snapshot(db, SQLite::TransactionBehavior::DEFERRED);
  const int application = db.execAndGet("PRAGMA application_id").getInt();
  const int version = db.execAndGet("PRAGMA user_version").getInt();
  const bool empty = db.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
  if (application == 0 && version == 0 && empty) return 0;
  if (application == kPackApplicationId)
    return fail(
        ErrorKind::database,
        fmt::format("{} is a pack, and warptune does not write to packs; name the database that it was made from",
                    path.string()));
  if (application != kApplicationId)
    return fail(ErrorKind::database, fmt::format("{} is an SQLite database of another program, not of warptune; name "
                                                 "another file with --db",
                                                 path.string()));
  if (version > kSchemaVersion)
    return fail(
        ErrorKind::database,
        fmt::format("the database {} has schema {}, made by a newer warptune; this version supports schemas up to "
                    "{}; update warptune, or name another file with --db",
                    path.string(), version, kSchemaVersion));
  if (version < 0)
    return fail(ErrorKind::database,
                fmt::format("the database {} is damaged: its schema is {}; restore a copy", path.string(), version));
  if (const std::string foreign = foreign_schema(db, version); !foreign.empty())
    return fail(ErrorKind::database,
                fmt::format("the database {} contains the {:.60}, which differs from schema {} or is not part of it; "
                            "get the database from a source that you trust, or undo this change",
                            path.string(), foreign, version));
  return version;
}

Result<std::unique_ptr<SQLite::Database>> open_read_only(const fs::path& path) {
  using Opened = Result<std::unique_ptr<SQLite::Database>>;
  const auto open = [&](const std::string& name, int flags) -> Opened {
    auto db = std::make_unique<SQLite::Database>(name, flags, busy_timeout_ms());
    distrust(*db); // the file may come from anywhere
    // Readers skip rows that violate a CHECK; such rows do not make the whole file count as damaged.
    db->exec("PRAGMA cell_size_check = ON; PRAGMA query_only = ON; PRAGMA ignore_check_constraints = ON");
    WT_CHECK(check_schema(*db, path));
    return db;
  };
  return guard(nullptr, path, "open", [&]() -> Opened {
    try {
      if (may_tidy(path)) return open(path.string(), SQLite::OPEN_READWRITE);
      return open(path.string(), SQLite::OPEN_READONLY);
    } catch (const SQLite::Exception& e) {
      // If the -shm file cannot be created, a database without a log can still be read: it is complete in itself.
      const int shm = e.getExtendedErrorCode();
      const bool no_shm = shm == SQLITE_IOERR_SHMOPEN || shm == SQLITE_IOERR_SHMSIZE || shm == SQLITE_IOERR_SHMMAP;
      if (e.getErrorCode() != SQLITE_CANTOPEN && e.getErrorCode() != SQLITE_READONLY && !no_shm) throw;
      if (has_log(path))
        return fail(ErrorKind::database,
                    fmt::format("cannot read the database {}: its folder is read-only, and {} contains changes that "
                                "are not in the database yet; copy both files to a writable folder and use --db",
                                path.string(), path.filename().string() + "-wal"));
      return open(immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
    }
  });
}

bool has_log(const fs::path& path) {
  std::error_code ec;
  const fs::path log = path.string() + "-wal";
  return fs::exists(log, ec) && fs::file_size(log, ec) > 0;
}

} // namespace warptune::db
