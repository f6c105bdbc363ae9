// Stores cubins on disk by their compile_key. Many processes may use the cache at once: an entry is written to a
// temporary file, synced and renamed. A damaged or truncated entry counts as missing. Failed compiles are cached too,
// with their log, so that a resumed run does not repeat them.
#pragma once

#include "jit/compiler.h"
#include "jit/entry_lock.h"

#include <filesystem>
#include <optional>
#include <string>

namespace warptune {

class CubinCache {
 public:
  // An empty path means the user's cache directory: $XDG_CACHE_HOME/warptune, else ~/.cache/warptune, else a temporary
  // one.
  explicit CubinCache(std::filesystem::path directory = {});

  std::optional<CompileResult> find(const std::string& key) const;
  Result<void> store(const std::string& key, const CompileResult& result) const;
  // Locks an entry, so that only one process at a time makes it. Returns nullopt if another process still holds the
  // lock after `timeout_s`.
  std::optional<EntryLock> lock(const std::string& key, double timeout_s) const;
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
};

} // namespace warptune
