// The file of an application's untuned shapes. It is a sweep file (docs/sweep.md), and several processes may write to
// it. This code handles the file's text, but does not interpret the jobs.
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

using MissCounts = std::map<std::string, std::uint64_t>; // job, as JSON without its closing part -> its count

// Adds `times` to a job's count, up to the largest number that a file can hold.
void add_times(MissCounts& counts, const std::string& job, std::uint64_t times);

// Whether the text can be written as JSON without escapes. Selections whose names need escapes are not counted: names
// come from packs and databases, which any program may have written.
bool is_plain(std::string_view text);

struct MissesText {
  MissCounts counts;
  bool is_cut = false; // whether a write was interrupted; an incomplete last line is then not in `counts`
};

// Reads the counts from a text that this library wrote, completely or up to an interruption after the head. Error
// (bad_input): any other text.
Result<MissesText> parse_misses(std::string_view text, const std::string& origin);

// Adds `counts` to the counts in the file. The most frequent job is first. The file has at most 5000 jobs and 1 MB. An
// existing file that this library did not write is an error, even if `counts` is empty. Empty counts are not written.
Result<void> merge_misses(const std::filesystem::path& path, MissCounts counts);

// Adds each job to the file when it is seen for the first time, so that even a killed process leaves a complete file.
// Not thread-safe.
class MissesFile {
 public:
  bool holds(const std::string& job) const { return listed_.count(job) != 0; }

  struct Appended {
    std::vector<std::string> jobs; // the jobs that the file lacked
    bool is_repaired = false;      // whether the file was cut by an interrupted write, and is now complete again
  };
  // Adds the jobs that the file lacks, each with a count of 1, in one write. Adds none if another process keeps the
  // folder locked, or if the file is full.
  Result<Appended> append(const std::filesystem::path& path, const std::vector<std::string>& jobs);

 private:
  Result<bool> read(const std::filesystem::path& path); // repairs a file that was cut, and returns whether it was

  std::set<std::string> listed_; // the jobs in the file when this process last read or wrote it
  FileStamp stamp_;              // the file's stamp at the last read or write
};

} // namespace warptune
