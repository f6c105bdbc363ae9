// A pack as the reader uses it: opened through checked pages, accepted only if its schema is exactly warptune's, with
// its own tables (pack, pack_rules) as values.
#pragma once

#include "core/result.h"
#include "db/pack_vfs.h"
#include "db/records.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3_stmt;

namespace warptune::db {

struct OpenedPack {
  std::unique_ptr<PackVfs> vfs; // must outlive the connection
  std::unique_ptr<SQLite::Database> db;
  int schema_version = 0;
};

// Errors (kind database): newer version, foreign schema, damage.
Result<OpenedPack> open_pack(std::unique_ptr<PackFile> file, const std::filesystem::path& path);

// Returns the statements that make a pack's tables; empty if no pack has this schema version.
std::string pack_schema(int schema_version);

// The size in bytes of the longest text and of the largest cubin that a pack may contain.
inline constexpr std::int64_t kMaxTextBytes = 4 << 20, kMaxImageBytes = 256 << 20;

// Limits the work of one read in SQLite: a small hostile file could make a read endless or larger than memory, with
// pages that refer to each other or rows that share pages.
class WorkLimit {
 public:
  WorkLimit(SQLite::Database& db, const PackFile& file, std::int64_t max_value_bytes);
  ~WorkLimit();
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;
  bool is_exceeded() const { return is_exceeded_; }

 private:
  bool look(); // whether the pack is within all limits
  void count_row(sqlite3_stmt* row);
  std::uint32_t pages_so_far() const; // number of pages that SQLite has fetched since the pack was opened; wraps around

  SQLite::Database& db_;
  std::int64_t looks_left_, pages_left_, row_bytes_left_, max_memory_;
  std::uint32_t pages_seen_;
  bool is_exceeded_ = false;
};

// Makes the error for a pack with a valid seal but invalid content.
Error hostile_pack(const std::filesystem::path& path, std::string_view how);
Error explain_pack(const SQLite::Exception& e, const std::filesystem::path& path);

// Runs `f`, which throws SQLite::Exception, within the limits. Ignores damage that an earlier read found.
template <class F>
auto read_limited(SQLite::Database& db, PackFile& file, const std::filesystem::path& path, std::int64_t max_value_bytes,
                  F&& f) -> decltype(f()) {
  file.clear_damage();
  const WorkLimit limit(db, file, max_value_bytes);
  auto result = [&]() -> decltype(f()) {
    try {
      return f();
    } catch (const SQLite::Exception& e) {
      return fail(explain_pack(e, path));
    } catch (const std::exception& e) {
      return fail(ErrorKind::internal, "cannot read the pack " + path.string() + ": " + e.what());
    }
  }();
  if (!file.damage().empty()) return fail(ErrorKind::database, file.damage());
  if (limit.is_exceeded()) return fail(hostile_pack(path, "its rows claim more data than the file can contain"));
  return result;
}

// Both functions throw SQLite::Exception.
PackInfo read_pack_info(SQLite::Database& db);
std::vector<PackRule> read_pack_rules(SQLite::Database& db, const std::string& kernel, std::int64_t& skipped);

} // namespace warptune::db
