// A pack as the reader sees it: opened through checked pages, taken for one only when its schema is ours to the letter,
// and its own tables (pack, pack_rules) as values.
#pragma once

#include "core/result.h"
#include "db/pack_vfs.h"
#include "db/records.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>
#include <vector>

namespace warptune::db {

struct OpenedPack {
  std::unique_ptr<PackVfs> vfs; // outlives the connection
  std::unique_ptr<SQLite::Database> db;
  int schema_version = 0;
};

// Errors (kind database): newer, a schema that is not ours, damaged.
Result<OpenedPack> open_pack(std::unique_ptr<PackFile> file, const std::filesystem::path& path);

// The statements that make a pack's tables; empty: there is no pack of this schema.
std::string_view pack_schema(int schema_version);

// How much SQLite may do for one reading: pages that lead to each other again and again make a small file endless.
class WorkLimit {
 public:
  WorkLimit(SQLite::Database& db, const PackFile& file);
  ~WorkLimit();
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;
  bool is_exceeded() const { return left_ < 0; }

 private:
  SQLite::Database& db_;
  std::int64_t left_;
};

// Throw SQLite::Exception.
PackInfo read_pack_info(SQLite::Database& db);
std::vector<PackRule> read_pack_rules(SQLite::Database& db, const std::string& kernel, std::int64_t& skipped);

} // namespace warptune::db
