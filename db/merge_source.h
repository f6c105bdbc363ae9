// A database opened for merging: it is read as one snapshot with the newest schema, and never changed. It is read from
// a copy in a temporary folder if it has an older schema, or if its folder is read-only and its log contains changes.
#pragma once

#include "core/result.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>

namespace warptune::db {

// A temporary folder, removed by the destructor. The constructor also removes folders that killed processes left
// behind.
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

// `copy`: where to make the copy, if one is needed. Errors (kind database): missing, empty, not a database, of another
// program, newer, damaged; each names `file`.
Result<std::unique_ptr<SQLite::Database>> open_source(const std::filesystem::path& file,
                                                      const std::filesystem::path& copy);

// Copies the current state of `from` into the new file `to`.
void copy_database(SQLite::Database& from, const std::filesystem::path& to); // throws SQLite::Exception

// Renames the complete database `made`, open in `file`, to `output` in one step. Never replaces a file created in the
// meantime. `otherwise`: advice for errors.
Result<void> publish(std::unique_ptr<SQLite::Database> made, const std::filesystem::path& file,
                     const std::filesystem::path& output, const std::string& otherwise);

} // namespace warptune::db
