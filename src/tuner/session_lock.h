// SessionLock: marks a session as in use by this process. It locks a file next to the database
// (<database>.session-N.lock). The operating system releases the lock however the process ends, so a killed session can
// be resumed at once, and a running session cannot be taken over.
#pragma once

#include "core/result.h"
#include "db/records.h"
#include "system/descriptor.h"

#include <filesystem>
#include <optional>
#include <string>

namespace warptune {

class SessionLock {
 public:
  // Returns nullopt if another process is working on the session; `holder` then names that process ("process 123").
  // Error (database): the file cannot be created.
  static Result<std::optional<SessionLock>> take(const std::filesystem::path& database, RowId session,
                                                 std::string& holder);
  // Returns the process that is working on the session ("process 123"); empty: none. Only reads: creates no file and
  // takes no lock.
  static std::string holder(const std::filesystem::path& database, RowId session);
  ~SessionLock(); // removes the file
  SessionLock(SessionLock&& other) noexcept = default;
  SessionLock& operator=(SessionLock&& other) noexcept;

 private:
  SessionLock(std::filesystem::path file, Descriptor opened) : file_(std::move(file)), opened_(std::move(opened)) {}
  std::filesystem::path file_;
  Descriptor opened_;
};

} // namespace warptune
