// Counts the untuned shapes that were selected. Their file (runtime/misses_file.h) is a sweep
// that tunes them. Does not depend on devices or on the library.
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

  // Merges the counts into the file, atomically for readers, and resets the written counts. Refuses a file that this
  // function did not write, even if there are no counts; without counts, writes nothing.
  Result<void> write(const std::filesystem::path& path);

  // Adds only the shapes that the file lacks; if there are none, reads and writes nothing. Returns whether shapes were
  // added. The next call, and `write`, try again to add shapes that could not be added.
  Result<bool> append_new(const std::filesystem::path& path);

 private:
  void put_back(MissCounts& counts);

  std::mutex file_mutex_; // guards file_; taken before mutex_
  MissesFile file_;       // used by append_new
  std::mutex mutex_;      // guards counts_
  MissCounts counts_;     // shapes that are not in a file yet
};

} // namespace warptune
