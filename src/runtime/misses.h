// Misses: counts the selections for untuned shapes ("misses"). The counts are written to a sweep file
// (runtime/misses_file.h), which can be used to tune these shapes.
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

  // Adds the counts to those in the file, then resets the counts. Readers of the file see either its old or its new
  // content. An existing file that was not written by this function is an error, even if there are no counts. If there
  // are no counts, writes nothing.
  Result<void> write(const std::filesystem::path& path);

  struct Appended {
    bool has_new = false;     // whether shapes were added
    bool is_repaired = false; // whether the file was cut by an interrupted write, and is now complete again
  };
  // Adds only the shapes that the file lacks; if the file lacks none, does not touch it. If adding fails, the next call
  // of append_new or `write` tries again.
  Result<Appended> append_new(const std::filesystem::path& path);

 private:
  void put_back(MissCounts& counts);

  std::mutex file_mutex_; // guards file_; lock it before mutex_
  MissesFile file_;       // used by append_new
  std::mutex mutex_;      // guards counts_
  MissCounts counts_;     // shapes that are not in a file yet
};

} // namespace warptune
