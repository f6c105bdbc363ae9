// Reads and writes files of a run folder, which several machines share, perhaps through NFS. Uses only operations that
// are atomic on the file server (link and rename), and never locks. Every error is of kind database, and names the
// file, the cause and what to do.
#pragma once

#include "core/result.h"
#include "system/new_file.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A time of the file server's clock. Only the difference of two such times is meaningful.
using FileTime = std::chrono::nanoseconds;

// Writes a file: afterwards `to` either has the complete text or is unchanged. Does not sync: a power failure of the
// server may lose claims and heartbeats, but this only causes repeated work.
Result<void> replace_shared(const std::filesystem::path& to, std::string_view text);
// Like replace_shared, but copies the file `from`, which may be on another file system. Syncs to the server's disk.
Result<void> copy_to_shared(const std::filesystem::path& from, const std::filesystem::path& to);

// Creates `to` with this text. Returns false if the file exists. If several processes create the file at the same time,
// exactly one gets true.
Result<bool> create_shared(const std::filesystem::path& to, std::string_view text, Flush flush = Flush::no);

enum class Linked {
  made,
  exists,  // `to` exists and is not a link to `from`
  unusable // `from` was deleted, or has as many links as the file system allows
};
// Gives a complete file the additional name `to`. If several processes do this at the same time, exactly one gets
// `made`.
Result<Linked> link_shared(const std::filesystem::path& from, const std::filesystem::path& to);

// Returns nullopt if the file does not exist.
Result<std::optional<std::string>> read_shared(const std::filesystem::path& file);

// Sets the file's time to the server's current time. Costs one operation of the file server.
Result<void> renew_shared(const std::filesystem::path& file);
// Like renew_shared, but returns the new time.
Result<FileTime> touch_shared(const std::filesystem::path& file);
// Returns the file's time from the server and not from a cache; nullopt if the file does not exist.
Result<std::optional<FileTime>> time_of_shared(const std::filesystem::path& file);

// Returns the names in a folder in any order, without files that are still being written.
Result<std::vector<std::string>> list_shared(const std::filesystem::path& folder);

Result<void> make_shared_folder(const std::filesystem::path& folder); // also creates its parents

} // namespace warptune
