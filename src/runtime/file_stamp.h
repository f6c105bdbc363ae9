// Detects whether a file has changed since it was opened. Independent of file formats.
#pragma once

#include <cstdint>
#include <filesystem>

namespace warptune {

struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0, modified_ns = 0;
  std::uint64_t log_size = 0, log_modified_ns = 0; // size and time of the SQLite log next to the file
  bool operator==(const FileStamp&) const = default;
};

FileStamp stamp_of(const std::filesystem::path& path); // all zeros if the file does not exist

} // namespace warptune
