// SessionLock: marks a session as in use by this process, with a lock on a file next to the database
// (<database>.session-N.lock). The operating system drops the lock when the process ends, however it ends. A killed
// session can therefore be resumed at once, and a running one cannot be taken over.
#pragma once

#include "core/result.h"
#include "db/records.h"

#include <filesystem>
#include <optional>
#include <string>

namespace warptune {

class SessionLock {
 public:
  // nullopt if another process works on the session; `holder` then names it ("process 123"). Error (database): the file
  // cannot be created.
  static Result<std::optional<SessionLock>> take(const std::filesystem::path& database, RowId session,
                                                 std::string& holder);
  // The process that works on the session ("process 123"); empty: none. Only looks: creates no file and takes no lock.
  static std::string holder(const std::filesystem::path& database, RowId session);
  ~SessionLock(); // removes the file
  SessionLock(SessionLock&& other) noexcept;
  SessionLock& operator=(SessionLock&& other) noexcept;

 private:
  SessionLock(std::filesystem::path file, int fd) : file_(std::move(file)), fd_(fd) {}
  std::filesystem::path file_;
  int fd_ = -1;
};

} // namespace warptune
