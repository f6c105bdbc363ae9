#include "db/pack_file.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sqlite3.h>
#include <string_view>

namespace warptune::db {

namespace fs = std::filesystem;

namespace {

// The footer of a pack: kName and a one-digit version, the number of pages (big-endian, as in SQLite's file format),
// and a digest over this start of the footer and all page digests.
constexpr std::string_view kName = "warptune pack ";
constexpr char kVersion = '1';
constexpr std::size_t kCountAt = 16, kDigestAt = 20, kFooterBytes = kDigestAt + sizeof(Sha256);
constexpr std::size_t kApplicationIdAt = 68, kHeaderBytes = 100; // offsets and sizes of the SQLite file format

std::uint32_t big_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string footer_start(std::uint32_t pages) {
  std::string text(kName);
  text += kVersion;
  text += '\n';
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(pages >> shift & 0xFF);
  return text;
}

Sha256 seal_digest(const std::vector<Sha256>& digests) {
  std::string all = footer_start(static_cast<std::uint32_t>(digests.size()));
  for (const Sha256& digest : digests) all.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  return sha256(all);
}

bool read_exactly(sqlite3_file* file, std::int64_t offset, char* to, std::size_t count) {
  return file->pMethods->xRead(file, to, static_cast<int>(count), offset) == SQLITE_OK;
}

std::string damaged(const fs::path& path, std::string_view how) {
  return fmt::format("the pack {} is damaged: {}; copy it again from its source", path.string(), how);
}

} // namespace

// Reads through SQLite's own file layer: closing a file descriptor of our own would release the locks that another
// connection of this process holds on the same file.
PackFile::PackFile(fs::path path)
    : path_(std::move(path)), name_(sqlite3_create_filename(path_.c_str(), "", "", 0, nullptr)) {}

PackFile::~PackFile() {
  file_.reset();
  sqlite3_free_filename(const_cast<char*>(name_));
}

void PackFile::CloseFile::operator()(sqlite3_file* file) const {
  if (file->pMethods != nullptr) file->pMethods->xClose(file);
  std::free(file);
}

Result<std::unique_ptr<PackFile>> PackFile::open(const fs::path& path) {
  if (const int rc = sqlite3_initialize(); rc != SQLITE_OK)
    return fail(ErrorKind::internal, fmt::format("cannot start SQLite: {}", sqlite3_errstr(rc)));
  sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
  std::unique_ptr<PackFile> pack(new PackFile(path));
  pack->file_.reset(static_cast<sqlite3_file*>(std::calloc(1, static_cast<std::size_t>(vfs->szOsFile))));
  if (pack->name_ == nullptr || !pack->file_) throw std::bad_alloc();
  sqlite3_file* const file = pack->file_.get();
  sqlite3_int64 size = 0;
  // If the file cannot be opened, the caller's SQLite connection reports why.
  if (vfs->xOpen(vfs, pack->name_, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr) != SQLITE_OK ||
      file->pMethods->xFileSize(file, &size) != SQLITE_OK || size < static_cast<sqlite3_int64>(kHeaderBytes))
    return nullptr;

  char header[kHeaderBytes], footer[kFooterBytes];
  if (!read_exactly(file, 0, header, sizeof header) ||
      !read_exactly(file, size - static_cast<std::int64_t>(kFooterBytes), footer, sizeof footer))
    return nullptr;
  const std::uint32_t application = big_endian(header + kApplicationIdAt);
  const bool is_sealed = std::string_view(footer, kName.size()) == kName;
  if (application == __builtin_bswap32(kPackApplicationId))
    return fail(ErrorKind::database, damaged(path, "its byte order is reversed"));
  if (!is_sealed && application != kPackApplicationId) return nullptr;
  if (!is_sealed) return fail(ErrorKind::database, damaged(path, "its end, with the digests of its pages, is missing"));
  WT_CHECK(pack->read_seal(size));
  return pack;
}

Result<void> PackFile::read_seal(std::int64_t file_bytes) {
  char footer[kFooterBytes];
  if (!read_exactly(file_.get(), file_bytes - static_cast<std::int64_t>(kFooterBytes), footer, sizeof footer))
    return fail(ErrorKind::database, damaged(path_, "its end cannot be read"));
  if (footer[kName.size()] > kVersion && footer[kName.size()] <= '9')
    return fail(ErrorKind::database,
                fmt::format("the pack {} has format {}, made by a newer warptune; this version supports "
                            "format {}; update warptune, or make the pack again with this version",
                            path_.string(), footer[kName.size()], kVersion));
  const std::int64_t pages = big_endian(footer + kCountAt);
  constexpr std::int64_t kDigestBytes = sizeof(Sha256);
  if (pages == 0 || pages * (kPackPageBytes + kDigestBytes) + static_cast<std::int64_t>(kFooterBytes) != file_bytes)
    return fail(ErrorKind::database,
                damaged(path_, fmt::format("its size, {} bytes, does not match its {} pages", file_bytes, pages)));
  digests_.resize(static_cast<std::size_t>(pages));
  std::memcpy(digest_.data(), footer + kDigestAt, digest_.size());
  std::string all(digests_.size() * sizeof(Sha256), '\0');
  if (!read_exactly(file_.get(), bytes(), all.data(), all.size()))
    return fail(ErrorKind::database, damaged(path_, "the digests of its pages cannot be read"));
  for (std::size_t i = 0; i < digests_.size(); ++i)
    std::memcpy(digests_[i].data(), all.data() + i * sizeof(Sha256), sizeof(Sha256));
  if (seal_digest(digests_) != digest_ ||
      std::string_view(footer, kCountAt + 4) != footer_start(static_cast<std::uint32_t>(pages)))
    return fail(ErrorKind::database, damaged(path_, "the digests of its pages have changed since it was packed"));
  return {};
}

bool PackFile::load_page(std::size_t page) {
  if (page == page_number_) return true;
  page_number_ = SIZE_MAX;
  page_.resize(kPackPageBytes);
  const bool is_read =
      page < digests_.size() &&
      read_exactly(file_.get(), static_cast<std::int64_t>(page) * kPackPageBytes, page_.data(), kPackPageBytes);
  if (!is_read || sha256(page_) != digests_[page]) {
    if (damage_.empty())
      damage_ = damaged(path_, fmt::format("page {} of {} has changed since it was packed", page + 1, digests_.size()));
    return false;
  }
  page_number_ = page;
  return true;
}

bool PackFile::read(std::int64_t offset, char* to, std::size_t count) {
  while (count > 0) {
    const auto at = static_cast<std::size_t>(offset);
    if (!load_page(at / kPackPageBytes)) return false;
    const std::size_t within = at % kPackPageBytes;
    const std::size_t part = std::min(count, kPackPageBytes - within);
    std::memcpy(to, page_.data() + within, part);
    to += part;
    offset += static_cast<std::int64_t>(part);
    count -= part;
  }
  return true;
}

bool PackFile::check_pages() {
  for (std::size_t page = 0; page < digests_.size(); ++page)
    if (!load_page(page)) return false;
  return true;
}

void seal_pack(const fs::path& path) {
  std::fstream file;
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.open(path, std::ios::in | std::ios::out | std::ios::binary);
  std::vector<Sha256> digests(fs::file_size(path) / kPackPageBytes);
  std::string page(kPackPageBytes, '\0');
  for (Sha256& digest : digests) {
    file.read(page.data(), kPackPageBytes);
    digest = sha256(page);
  }
  file.seekp(0, std::ios::end);
  for (const Sha256& digest : digests) file.write(reinterpret_cast<const char*>(digest.data()), sizeof digest);
  const std::string start = footer_start(static_cast<std::uint32_t>(digests.size()));
  const Sha256 all = seal_digest(digests);
  file.write(start.data(), static_cast<std::streamsize>(start.size()));
  file.write(reinterpret_cast<const char*>(all.data()), sizeof all);
  file.close();
}

} // namespace warptune::db
