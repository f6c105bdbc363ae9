// The file of the shapes that were selected without a result of their own: a sweep (docs/sweep.md), and how several
// processes write it. Knows its texts and no problems.
#pragma once

#include "core/result.h"
#include "runtime/file_stamp.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

using MissCounts = std::map<std::string, std::uint64_t>; // by the job, as JSON without its closing part

// Stops where a file can say no more.
void add_times(MissCounts& counts, const std::string& job, std::uint64_t times);

// Names come from a file that any program may have written; one that JSON would have to quote is not worth a sweep.
bool is_plain(std::string_view text);

// The counts of a text that this library wrote; bad_input for any other.
Result<MissCounts> parse_misses(std::string_view text, const std::string& origin);

// Replaces the file by one with the sums, the most wanted job first. A file of something else is refused, also where
// `counts` is empty; then nothing is written.
Result<void> merge_misses(const std::filesystem::path& path, MissCounts counts);

// Adds jobs to the file when they are first seen, so that it is whole however the process ends. Not for two threads.
class MissesFile {
 public:
  bool holds(const std::string& job) const { return listed_.count(job) != 0; }

  // Adds those that the file does not hold, each counted once, with one write; returns them. None when another process
  // keeps the folder locked, or the file is full.
  Result<std::vector<std::string>> append(const std::filesystem::path& path, const std::vector<std::string>& jobs);

 private:
  Result<void> read(const std::filesystem::path& path);

  std::set<std::string> listed_; // in the file, as this process read or wrote it
  FileStamp stamp_;              // of then
};

} // namespace warptune
