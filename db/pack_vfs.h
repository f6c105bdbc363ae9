// SQLite's file layer over a PackFile: it returns only checked pages. It ignores any journal, log or lock of the pack,
// and writes nothing.
#pragma once

#include "db/pack_file.h"

#include <memory>
#include <string>

struct sqlite3_vfs;

namespace warptune::db {

// Registered with SQLite during its lifetime; must outlive every connection opened through it.
class PackVfs {
 public:
  explicit PackVfs(std::unique_ptr<PackFile> file);
  ~PackVfs();
  PackVfs(const PackVfs&) = delete;
  PackVfs& operator=(const PackVfs&) = delete;

  const std::string& name() const { return name_; } // for opening a connection
  PackFile& file() { return *file_; }

 private:
  std::unique_ptr<PackFile> file_;
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

} // namespace warptune::db
