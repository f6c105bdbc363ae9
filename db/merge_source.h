// A database that is read for merging, at today's schema and as one snapshot, and not changed: an older one, and one
// whose folder cannot be written while changes lie in its log, are read from a copy in a folder of ours.
#pragma once

#include "core/result.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>

namespace warptune::db {

// A folder that goes with its object. What killed processes left of such folders goes when one is made.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make(const std::filesystem::path& parent); // made too; errors (kind database)
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// `copy`: a file that is made where one is needed. Errors (kind database): missing, empty, not a database, another
// program's, newer, damaged; each names `file`.
Result<std::unique_ptr<SQLite::Database>> open_source(const std::filesystem::path& file,
                                                      const std::filesystem::path& copy);

// All of `from` in the new file `to`, as it is at this moment.
void copy_database(SQLite::Database& from, const std::filesystem::path& to); // throws SQLite::Exception

// `made`, which is open in `file`, gets its name at once and whole. Never over another: it may have been made
// meanwhile. `otherwise`: what to do about an error.
Result<void> publish(std::unique_ptr<SQLite::Database> made, const std::filesystem::path& file,
                     const std::filesystem::path& output, const std::string& otherwise);

} // namespace warptune::db
