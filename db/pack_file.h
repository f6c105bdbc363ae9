// The bytes of a pack: an SQLite file, then its seal: the SHA-256 of every page, and one SHA-256 over all these hashes.
// A page is checked whenever it is read, so a changed byte causes an error once SQLite reads its page. Opening a large
// file costs no more than a small one. Does not interpret the pages.
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
  // Returns nullptr if the first and last bytes are not those of a pack. `path`: as returned by check_path. Errors
  // (kind database): truncated, damaged, of a newer warptune, of another byte order, unreadable.
  static Result<std::unique_ptr<PackFile>> open(const std::filesystem::path& path);
  ~PackFile();
  PackFile(const PackFile&) = delete;
  PackFile& operator=(const PackFile&) = delete;

  std::int64_t bytes() const { return static_cast<std::int64_t>(digests_.size()) * kPackPageBytes; } // without the seal
  std::string digest() const { return hex_text(digest_); }
  // Reads any part of the pages. Returns false if they differ from the sealed ones; damage() then describes this until
  // it is cleared.
  bool read(std::int64_t offset, char* to, std::size_t count);
  bool check_pages(); // checks all pages
  const std::string& damage() const { return damage_; }
  void clear_damage() { damage_.clear(); } // other parts of the pack may still be sound

 private:
  struct CloseFile {
    void operator()(sqlite3_file* file) const;
  };
  explicit PackFile(std::filesystem::path path);
  Result<void> read_seal(std::int64_t file_bytes);
  bool load_page(std::size_t page); // into page_

  std::filesystem::path path_;
  const char* name_ = nullptr; // the file's name in the form that SQLite's file layer needs
  std::unique_ptr<sqlite3_file, CloseFile> file_;
  std::vector<Sha256> digests_;
  Sha256 digest_{};
  std::string page_; // the last page read, checked
  std::size_t page_number_ = SIZE_MAX;
  std::string damage_;
};

// Adds the seal to a closed SQLite file. Throws std::ios_base::failure.
void seal_pack(const std::filesystem::path& path);

} // namespace warptune::db
