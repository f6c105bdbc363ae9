// The bytes of a pack: an SQLite file followed by its seal. The seal has the SHA-256 of every page, and one SHA-256
// over all these hashes. Each page is checked whenever SQLite reads it, and a changed byte is then an error. So opening
// a large file costs no more than opening a small one. Does not interpret the pages.
#pragma once

#include "core/result.h"
#include "core/sha256.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct sqlite3_file;

namespace warptune::db {

inline constexpr int kPackApplicationId = 0x5754504B; // "WTPK"
inline constexpr std::uint32_t kPackPageBytes = 4096;

class PackFile {
 public:
  // Returns nullptr if the file does not begin and end like a pack. `path`: from check_path. Errors (database): the
  // file is truncated, damaged or unreadable, has reversed byte order, or was made by a newer warptune.
  static Result<std::unique_ptr<PackFile>> open(const std::filesystem::path& path);
  ~PackFile();
  PackFile(const PackFile&) = delete;
  PackFile& operator=(const PackFile&) = delete;

  std::int64_t bytes() const { return static_cast<std::int64_t>(digests_.size()) * kPackPageBytes; } // without the seal
  std::string digest() const { return hex_text(digest_); }
  // Reads any bytes of the pages. Returns false if a page has changed since it was sealed. damage() then describes this
  // until clear_damage() is called.
  bool read(std::int64_t offset, char* to, std::size_t count);
  bool check_pages(); // checks all pages
  const std::string& damage() const { return damage_; }
  void clear_damage() { damage_.clear(); } // so that reading can continue: other parts of the pack may be undamaged

 private:
  struct CloseFile {
    void operator()(sqlite3_file* file) const;
  };
  explicit PackFile(std::filesystem::path path);
  Result<void> read_seal(std::int64_t file_bytes);
  bool load_page(std::size_t page); // into page_

  std::filesystem::path path_;
  const char* name_ = nullptr; // the path as SQLite's file layer needs it
  std::unique_ptr<sqlite3_file, CloseFile> file_;
  std::vector<Sha256> digests_;
  Sha256 digest_{};
  std::string page_; // the last page that was read and checked
  std::size_t page_number_ = SIZE_MAX;
  std::string damage_;
};

// Appends the seal to a closed SQLite file. Throws std::ios_base::failure.
void seal_pack(const std::filesystem::path& path);

} // namespace warptune::db
