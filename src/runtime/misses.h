// The shapes that were selected without a result of their own, counted, and their file: a sweep (docs/sweep.md) that
// tunes them. Knows no devices and no library.
#pragma once

#include "core/result.h"
#include "spec/problem.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace warptune {

class Misses {
 public:
  void add(const KernelSpec& spec, const Problem& problem);

  // Merged with what the file holds, if this function wrote it; any other file is refused. A reader sees all of it or
  // what was there before. What was written is counted no more; without a miss nothing is written, but another file
  // is refused all the same.
  Result<void> write(const std::filesystem::path& path);

 private:
  void put_back(std::map<std::string, std::uint64_t>& counts);

  std::mutex mutex_;
  std::map<std::string, std::uint64_t> counts_; // by the job, as JSON without its closing part
};

// For tests of the format: the counts of a text that Misses wrote; bad_input for any other.
Result<std::map<std::string, std::uint64_t>> parse_misses(std::string_view text, const std::string& origin);

} // namespace warptune
