// Counts the shapes that were selected without a result of their own. Their file (runtime/misses_file.h) is a sweep
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

  // Merges the counts with those in the file, if this function wrote the file; any other file is refused. A reader sees
  // either all of the new content or the old content. Written counts are reset. Without counts nothing is written, but
  // another file is still refused.
  Result<void> write(const std::filesystem::path& path);

  // Adds to the file only the shapes that it does not hold; if there are none, it reads and writes nothing. Returns
  // whether there were any. Shapes that could not be added are tried again by the next call and by write.
  Result<bool> append_new(const std::filesystem::path& path);

 private:
  void put_back(MissCounts& counts);

  std::mutex file_mutex_; // guards file_; taken before mutex_
  MissesFile file_;       // used by append_new
  std::mutex mutex_;      // guards counts_
  MissCounts counts_;     // that are not in a file yet
};

} // namespace warptune
