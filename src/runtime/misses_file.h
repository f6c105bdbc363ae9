// The file of untuned shapes that were selected. It is a sweep (docs/sweep.md), and several
// processes may write it. Handles its text format, but does not interpret tuning problems.
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

using MissCounts = std::map<std::string, std::uint64_t>; // key: the job, as JSON without its closing part

// Saturates at the largest number that a file can hold.
void add_times(MissCounts& counts, const std::string& job, std::uint64_t times);

// Whether the text needs no escapes in JSON. Other names are not counted: they come from a pack or database, which any
// program may have written.
bool is_plain(std::string_view text);

// Reads the counts from a text that this library wrote. Error: bad_input for any other text.
Result<MissCounts> parse_misses(std::string_view text, const std::string& origin);

// Replaces the file by one with the summed counts, the most frequent job first; at most 5000 jobs and 1 MB. Refuses a
// file that this library did not write, even if `counts` is empty; empty counts are not written.
Result<void> merge_misses(const std::filesystem::path& path, MissCounts counts);

// Adds each job to the file when it is first seen, so that the file is complete even if the process is killed. Not
// thread-safe.
class MissesFile {
 public:
  bool holds(const std::string& job) const { return listed_.count(job) != 0; }

  // Adds the jobs that the file does not hold, with a count of 1 each, in one write; returns these jobs. Returns none
  // if another process keeps the folder locked, or the file is full.
  Result<std::vector<std::string>> append(const std::filesystem::path& path, const std::vector<std::string>& jobs);

 private:
  Result<void> read(const std::filesystem::path& path);

  std::set<std::string> listed_; // jobs in the file when this process last read or wrote it
  FileStamp stamp_;              // the file's stamp when listed_ was last updated
};

} // namespace warptune
