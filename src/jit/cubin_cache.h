// Cubins on disk by content hash, safe for many processes: written to a temporary file, synced, renamed. A damaged or
// truncated entry is a miss. Failures to compile are cached too (with their log), so a resumed run does not repeat
// them.
#pragma once

#include "jit/compiler.h"
#include "jit/entry_lock.h"

#include <filesystem>
#include <optional>
#include <string>

namespace warptune {

class CubinCache {
 public:
  // An empty path: the user's cache directory ($XDG_CACHE_HOME/warptune, else ~/.cache/warptune, else a temporary one).
  explicit CubinCache(std::filesystem::path directory = {});

  std::optional<CompileResult> find(const std::string& key) const;
  Result<void> store(const std::string& key, const CompileResult& result) const;
  // For one process at a time that makes the entry. Nothing: another one had it until the time had passed.
  std::optional<EntryLock> lock(const std::string& key, double timeout_s) const;
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
};

} // namespace warptune
