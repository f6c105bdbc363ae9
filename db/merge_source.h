// A database opened for merging. It is read as one snapshot with the newest schema, and never changed. If the database
// has an older schema, or if its folder is read-only and its log is not empty, a copy in a temporary folder is read.
#pragma once

#include "core/result.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>

namespace warptune::db {

// A temporary folder, which the destructor removes. `make` also removes folders that killed processes left behind.
class ScratchFolder {
 public:
  static Result<ScratchFolder>
  make(const std::filesystem::path& parent); // creates `parent` if needed; errors: database
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// `copy`: where to put a copy, if one is needed. Errors (database): the file is missing, empty, damaged or not a
// database, or was made by another program or a newer warptune. Every message names `file`.
Result<std::unique_ptr<SQLite::Database>> open_source(const std::filesystem::path& file,
                                                      const std::filesystem::path& copy);

// Copies the current state of `from` into the new file `to`.
void copy_database(SQLite::Database& from, const std::filesystem::path& to); // throws SQLite::Exception

// Renames the complete database `made`, which is open in `file`, to `output` in one step. Does not replace a file that
// another program has created at `output` meanwhile. `otherwise`: advice for the error message.
Result<void> publish(std::unique_ptr<SQLite::Database> made, const std::filesystem::path& file,
                     const std::filesystem::path& output, const std::string& otherwise);

} // namespace warptune::db
