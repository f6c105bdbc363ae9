// A database opened for merging: read as one snapshot at today's schema, and never changed. It is read from a copy in a
// temporary folder if it has an older schema, or if its folder is read-only while its log holds changes.
#pragma once

#include "core/result.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>

namespace warptune::db {

// A folder that is removed with its object. Making one also removes the folders that killed processes left behind.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make(const std::filesystem::path& parent); // creates `parent`; errors: database
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// `copy`: the path of the copy, made only if needed. Errors (kind database): missing, empty, not a database, another
// program's, newer, damaged; each names `file`.
Result<std::unique_ptr<SQLite::Database>> open_source(const std::filesystem::path& file,
                                                      const std::filesystem::path& copy);

// Copies all of `from`, as it is at this moment, into the new file `to`.
void copy_database(SQLite::Database& from, const std::filesystem::path& to); // throws SQLite::Exception

// Gives the database `made`, which is open in `file`, its final name `output` in one step. Never replaces another file,
// which may have been made meanwhile. `otherwise`: advice for errors.
Result<void> publish(std::unique_ptr<SQLite::Database> made, const std::filesystem::path& file,
                     const std::filesystem::path& output, const std::string& otherwise);

} // namespace warptune::db
