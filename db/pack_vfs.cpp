#include "db/pack_vfs.h"

#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <sqlite3.h>

namespace warptune::db {
namespace {

struct OpenPack {
  sqlite3_file base; // first, because SQLite casts the object to it
  PackFile* pack;
};

PackFile& pack_of(sqlite3_file* file) { return *reinterpret_cast<OpenPack*>(file)->pack; }
sqlite3_vfs* host() { return sqlite3_vfs_find(nullptr); }

int read(sqlite3_file* file, void* to, int count, sqlite3_int64 offset) {
  PackFile& pack = pack_of(file);
  // SQLite reads whole pages, and parts of the first page.
  if (offset < 0 || count < 0 || offset + count > pack.bytes()) {
    std::memset(to, 0, static_cast<std::size_t>(count));
    return SQLITE_IOERR_SHORT_READ;
  }
  return pack.read(offset, static_cast<char*>(to), static_cast<std::size_t>(count)) ? SQLITE_OK : SQLITE_CORRUPT;
}
int size(sqlite3_file* file, sqlite3_int64* bytes) {
  *bytes = pack_of(file).bytes();
  return SQLITE_OK;
}
int is_unlocked(sqlite3_file*, int* locked) {
  *locked = 0;
  return SQLITE_OK;
}

const sqlite3_io_methods& methods() {
  static const sqlite3_io_methods all = [] {
    sqlite3_io_methods m{};
    m.iVersion = 1;
    m.xClose = [](sqlite3_file*) { return SQLITE_OK; };
    m.xRead = read;
    m.xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; };
    m.xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; };
    m.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
    m.xFileSize = size;
    m.xLock = [](sqlite3_file*, int) { return SQLITE_OK; };
    m.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
    m.xCheckReservedLock = is_unlocked;
    m.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
    m.xSectorSize = [](sqlite3_file*) { return static_cast<int>(kPackPageBytes); };
    m.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; };
    return m;
  }();
  return all;
}

int open(sqlite3_vfs* vfs, const char*, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN; // only the pack itself: no journal, no temporary file
  auto* const opened = new (file) OpenPack{};
  opened->base.pMethods = &methods();
  opened->pack = static_cast<PackFile*>(vfs->pAppData);
  if (out_flags != nullptr) *out_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  return SQLITE_OK;
}

int keep_name(sqlite3_vfs*, const char* name, int size, char* out) {
  if (std::strlen(name) + 1 > static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  std::strcpy(out, name);
  return SQLITE_OK;
}

} // namespace

PackVfs::PackVfs(std::unique_ptr<PackFile> file) : file_(std::move(file)), vfs_(new sqlite3_vfs{}) {
  static std::atomic<unsigned> count{0};
  name_ = fmt::format("warptune-pack-{}", ++count);
  vfs_->iVersion = 1;
  vfs_->szOsFile = sizeof(OpenPack);
  vfs_->mxPathname = host()->mxPathname;
  vfs_->zName = name_.c_str();
  vfs_->pAppData = file_.get();
  vfs_->xOpen = open;
  vfs_->xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_IOERR_DELETE; };
  vfs_->xAccess = [](sqlite3_vfs*, const char*, int, int* there) {
    *there = 0;
    return SQLITE_OK;
  };
  vfs_->xFullPathname = keep_name;
  vfs_->xRandomness = [](sqlite3_vfs*, int size, char* out) { return host()->xRandomness(host(), size, out); };
  vfs_->xSleep = [](sqlite3_vfs*, int us) { return host()->xSleep(host(), us); };
  vfs_->xCurrentTime = [](sqlite3_vfs*, double* days) { return host()->xCurrentTime(host(), days); };
  if (sqlite3_vfs_register(vfs_.get(), 0) != SQLITE_OK) throw std::bad_alloc();
}

PackVfs::~PackVfs() { sqlite3_vfs_unregister(vfs_.get()); }

} // namespace warptune::db
