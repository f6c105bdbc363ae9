// Files of a run folder, which several machines share, possibly through NFS. Uses only operations that the file server
// makes atomic: link and rename, never locks. Every error has the kind database and names the file, the cause and what
// to do.
#pragma once

#include "core/result.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A time of the file server's clock. Only differences between two such times are meaningful.
using FileTime = std::chrono::nanoseconds;

// Writes a file: afterwards `to` has the complete text, or is unchanged. Not synced: if a power failure of the server
// loses claims or heartbeats, the work is simply repeated.
Result<void> replace_shared(const std::filesystem::path& to, std::string_view text);
// Like replace_shared, with the bytes of another file, which may be on another file system. Synced to the server's
// disk.
Result<void> copy_to_shared(const std::filesystem::path& from, const std::filesystem::path& to);

// Creates `to` with the text. false: the file exists; if several processes create it concurrently, exactly one gets
// true.
Result<bool> create_shared(const std::filesystem::path& to, std::string_view text, bool sync = false);

enum class Linked {
  made,
  exists,  // `to` is another file
  unusable // `from` was deleted, or has as many links as the file system allows
};
// Gives a complete file the further name `to`; if several processes do this concurrently, exactly one gets `made`.
Result<Linked> link_shared(const std::filesystem::path& from, const std::filesystem::path& to);

// Returns nullopt if there is no such file.
Result<std::optional<std::string>> read_shared(const std::filesystem::path& file);

// Sets the time of a file to the server's current time, and returns it.
Result<FileTime> touch_shared(const std::filesystem::path& file);
// Returns the time of a file, from the server, not from a cache; nullopt if there is no such file.
Result<std::optional<FileTime>> time_of_shared(const std::filesystem::path& file);

// Returns the names in a folder, in any order, except those of files still being written.
Result<std::vector<std::string>> list_shared(const std::filesystem::path& folder);

Result<void> make_shared_folder(const std::filesystem::path& folder); // and its parents

} // namespace warptune
