// Opens a pack for the reader. Reads only checked pages, and requires exactly the schema of warptune. Reads the tables
// that only packs have (pack, pack_rules).
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
  std::unique_ptr<PackVfs> vfs; // must outlive db
  std::unique_ptr<SQLite::Database> db;
  int schema_version = 0;
};

// Errors (database): the pack was made by a newer version, has a foreign schema, or is damaged.
Result<OpenedPack> open_pack(std::unique_ptr<PackFile> file, const std::filesystem::path& path);

// Returns the statements that create a pack's tables; empty if no pack has this schema version.
std::string pack_schema(int schema_version);

// The maximum bytes of a text and of a cubin in a pack.
inline constexpr std::int64_t kMaxTextBytes = 4 << 20, kMaxImageBytes = 256 << 20;

// Limits the work that SQLite does in one read. Otherwise a small hostile file, with pages that refer to each other or
// rows that share pages, could make a read endless or larger than memory.
class WorkLimit {
 public:
  WorkLimit(SQLite::Database& db, const PackFile& file, std::int64_t max_value_bytes);
  ~WorkLimit();
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;
  bool is_exceeded() const { return is_exceeded_; }

 private:
  bool look(); // whether the read is within all limits
  void count_row(sqlite3_stmt* row);
  std::uint32_t pages_so_far() const; // pages that SQLite has fetched since the pack was opened; wraps around

  SQLite::Database& db_;
  std::int64_t looks_left_, pages_left_, row_bytes_left_, max_memory_;
  std::uint32_t pages_seen_;
  bool is_exceeded_ = false;
};

// Makes the error for a pack whose seal is valid but whose content is not.
Error hostile_pack(const std::filesystem::path& path, std::string_view how);
Error explain_pack(const SQLite::Exception& e, const std::filesystem::path& path);

// Runs `f`, which may throw SQLite::Exception, within these limits. Damage that an earlier read found is ignored.
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
  if (limit.is_exceeded()) return fail(hostile_pack(path, "reading it gives more data than the file can contain"));
  return result;
}

// These two functions throw SQLite::Exception.
PackInfo read_pack_info(SQLite::Database& db);
std::vector<PackRule> read_pack_rules(SQLite::Database& db, const std::string& kernel, std::int64_t& skipped);

} // namespace warptune::db
