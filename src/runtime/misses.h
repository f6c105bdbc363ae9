// The shapes that were selected without a result of their own, counted. Their file (runtime/misses_file.h) is a sweep
// that tunes them. Knows no devices and no library.
#pragma once

#include "core/result.h"
#include "runtime/misses_file.h"
#include "spec/problem.h"

#include <filesystem>
#include <mutex>

namespace warptune {

class Misses {
 public:
  void add(const KernelSpec& spec, const Problem& problem);

  // Merged with what the file holds, if this function wrote it; any other file is refused. A reader sees all of it or
  // what was there before. What was written is counted no more; without a miss nothing is written, but another file
  // is refused all the same.
  Result<void> write(const std::filesystem::path& path);

  // Adds to the file the shapes that it does not hold, and only these: nothing is read or written for any other.
  // Whether there were any. What could not be added now is tried again by the next call and by write.
  Result<bool> append_new(const std::filesystem::path& path);

 private:
  void put_back(MissCounts& counts);

  std::mutex file_mutex_; // of file_; taken before mutex_
  MissesFile file_;       // of append_new
  std::mutex mutex_;      // of counts_
  MissCounts counts_;     // that are in no file yet
};

} // namespace warptune
