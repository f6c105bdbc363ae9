#include "db/kernel_rows.h"

namespace warptune::db {

KernelRecord read_kernel(SQLite::Database& db, RowId id) {
  KernelRecord kernel;
  kernel.id = id;
  SQLite::Statement row(db, "SELECT name, source_hash FROM kernels WHERE id = ?");
  row.bind(1, id);
  if (row.executeStep()) {
    kernel.name = row.getColumn(0).getString();
    kernel.source_hash = row.getColumn(1).getString();
  }
  SQLite::Statement file(db, "SELECT name, text FROM kernel_files WHERE kernel_id = ? ORDER BY position");
  file.bind(1, id);
  while (file.executeStep()) kernel.files.emplace_back(file.getColumn(0).getString(), file.getColumn(1).getString());
  return kernel;
}

} // namespace warptune::db
