// SQLite's file layer over a PackFile. It returns only checked pages, ignores journals, logs and locks, and writes
// nothing.
#pragma once

#include "db/pack_file.h"

#include <memory>
#include <string>

struct sqlite3_vfs;

namespace warptune::db {

// While an object exists, it is registered with SQLite. It must outlive every connection that uses it.
class PackVfs {
 public:
  explicit PackVfs(std::unique_ptr<PackFile> file);
  ~PackVfs();
  PackVfs(const PackVfs&) = delete;
  PackVfs& operator=(const PackVfs&) = delete;

  const std::string& name() const { return name_; } // the name by which a new connection selects this file layer
  PackFile& file() { return *file_; }

 private:
  std::unique_ptr<PackFile> file_;
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

} // namespace warptune::db
