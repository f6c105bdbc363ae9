#include "db/write_log.h"

#include "db/connection.h"

#include <algorithm>
#include <sqlite3.h>

namespace warptune::db {
namespace {

constexpr int kMergeFrames = 1000;   // pages of 4 KiB; SQLite's own default
constexpr int kRestartFrames = 8000; // 32 MB: overlapping readers can keep the log from restarting by itself
constexpr int kRestartWaitMs = 200;  // time to wait for readers in the middle of a query
constexpr int kSettleWaitMs = 2000;
constexpr int kLogBytes = 4 << 20;

int after_commit(void*, sqlite3* db, const char* name, int frames) {
  if (frames >= kRestartFrames) {
    sqlite3_busy_timeout(db, kRestartWaitMs);
    sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr);
    sqlite3_busy_timeout(db, busy_timeout_ms());
  } else if (frames >= kMergeFrames) {
    sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  }
  return SQLITE_OK; // the next commit merges the rest
}

} // namespace

void bound_log(SQLite::Database& db) {
  db.exec("PRAGMA journal_size_limit = " + std::to_string(kLogBytes));
  sqlite3_wal_hook(db.getHandle(), after_commit, nullptr);
}

bool settle_log(SQLite::Database& db, bool may_wait) {
  sqlite3* const handle = db.getHandle();
  int frames = 0, merged = 0;
  sqlite3_busy_timeout(handle, may_wait ? std::min(kSettleWaitMs, busy_timeout_ms()) : 0);
  int result = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, &frames, &merged);
  if (result == SQLITE_BUSY) // a reader holds the log: merge the part that it does not need
    result = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &merged);
  sqlite3_busy_timeout(handle, busy_timeout_ms());
  return result == SQLITE_OK && frames == merged; // both are -1 if there is no log
}

} // namespace warptune::db
