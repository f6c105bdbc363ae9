// Files of a run folder, which several machines share, possibly through NFS. Only operations that the file server makes
// atomic are used: link and rename, never locks. Every error has the kind database and names the file, the cause and
// what to do.
#pragma once

#include "core/result.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A time of the file server's clock. Only differences of two such times have a meaning.
using FileTime = std::chrono::nanoseconds;

// Writes a file: afterwards `to` has the complete text, or it is unchanged. Not synced: if a power cut of the server
// loses claims or heartbeats, the work is only done again.
Result<void> replace_shared(const std::filesystem::path& to, std::string_view text);
// Does the same with the bytes of another file, which may be on another file system. Synced to the server's disk.
Result<void> copy_to_shared(const std::filesystem::path& from, const std::filesystem::path& to);

// Creates `to` with the text. false: the file exists; of several processes that create it at once, one gets true.
Result<bool> create_shared(const std::filesystem::path& to, std::string_view text, bool sync = false);

// nullopt: there is no such file.
Result<std::optional<std::string>> read_shared(const std::filesystem::path& file);

// Sets the time of a file to the server's present time, and returns it.
Result<FileTime> touch_shared(const std::filesystem::path& file);
// Returns the time of a file, from the server and not from a cache. nullopt: there is no such file.
Result<std::optional<FileTime>> time_of_shared(const std::filesystem::path& file);

// The names in a folder, in any order, without those of files that are still being written.
Result<std::vector<std::string>> list_shared(const std::filesystem::path& folder);

Result<void> make_shared_folder(const std::filesystem::path& folder); // and those above it

} // namespace warptune
