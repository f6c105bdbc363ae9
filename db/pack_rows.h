// A pack as the reader sees it: opened through checked pages, taken for one only when its schema is ours to the letter,
// and its own tables (pack, pack_rules) as values.
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
  std::unique_ptr<PackVfs> vfs; // outlives the connection
  std::unique_ptr<SQLite::Database> db;
  int schema_version = 0;
};

// Errors (kind database): newer, a schema that is not ours, damaged.
Result<OpenedPack> open_pack(std::unique_ptr<PackFile> file, const std::filesystem::path& path);

// The statements that make a pack's tables; empty: there is no pack of this schema.
std::string pack_schema(int schema_version);

// The longest text that a pack may hold, and the longest image.
inline constexpr std::int64_t kMaxTextBytes = 4 << 20, kMaxImageBytes = 256 << 20;

// How much one reading may ask of SQLite: pages that lead to each other, or rows that all claim the same pages, make a
// small file endless, or larger than memory.
class WorkLimit {
 public:
  WorkLimit(SQLite::Database& db, const PackFile& file, std::int64_t max_value_bytes);
  ~WorkLimit();
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;
  bool is_exceeded() const { return is_exceeded_; }

 private:
  bool look(); // whether all is within its limits
  void count_row(sqlite3_stmt* row);
  std::uint32_t pages_so_far() const; // that SQLite fetched since the pack was opened; wraps

  SQLite::Database& db_;
  std::int64_t looks_left_, pages_left_, row_bytes_left_, max_memory_;
  std::uint32_t pages_seen_;
  bool is_exceeded_ = false;
};

// The sentence for a pack behind whose good seal something is wrong.
Error hostile_pack(const std::filesystem::path& path, std::string_view how);
Error explain_pack(const SQLite::Exception& e, const std::filesystem::path& path);

// Runs `f`, which throws SQLite::Exception, within the limits. Damage that an earlier reading met is not this one's.
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
  if (limit.is_exceeded()) return fail(hostile_pack(path, "its rows claim far more data than the file can hold"));
  return result;
}

// Throw SQLite::Exception.
PackInfo read_pack_info(SQLite::Database& db);
std::vector<PackRule> read_pack_rules(SQLite::Database& db, const std::string& kernel, std::int64_t& skipped);

} // namespace warptune::db
