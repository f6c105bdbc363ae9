// SessionLock: that this process works on a session, said by a lock on a file beside the database
// (<database>.session-N.lock). The kernel drops the lock with the process, however it ends, so that a killed session
// can be resumed at once and a living one cannot be taken over.
#pragma once

#include "core/result.h"
#include "db/records.h"

#include <filesystem>
#include <optional>
#include <string>

namespace warptune {

class SessionLock {
 public:
  // Nothing when another process works on the session; `holder` then says which ("process 123"). Errors (kind
  // database): the file cannot be made.
  static Result<std::optional<SessionLock>> take(const std::filesystem::path& database, RowId session,
                                                 std::string& holder);
  // Who works on the session ("process 123"), by looking alone: nothing is made or taken. Empty: nobody.
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
