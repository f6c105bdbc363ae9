// SQLite's file layer over a PackFile: it hands out checked pages and nothing else. No journal, log or lock beside the
// pack is ever looked at, and nothing is written.
#pragma once

#include "db/pack_file.h"

#include <memory>
#include <string>

struct sqlite3_vfs;

namespace warptune::db {

// Registered with SQLite while it lives; outlives the connection that is opened through it.
class PackVfs {
 public:
  explicit PackVfs(std::unique_ptr<PackFile> file);
  ~PackVfs();
  PackVfs(const PackVfs&) = delete;
  PackVfs& operator=(const PackVfs&) = delete;

  const std::string& name() const { return name_; } // to open a connection with
  PackFile& file() { return *file_; }

 private:
  std::unique_ptr<PackFile> file_;
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

} // namespace warptune::db
