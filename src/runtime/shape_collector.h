// Chooses the file for a library's untuned shapes: a file that the application or its user names or, in a first run
// without a database, a file in the folder of the future database. Its failures never make a launch fail.
#pragma once

#include "runtime/misses.h"

#include <atomic>
#include <filesystem>
#include <string>

namespace warptune {

class ShapeCollector {
 public:
  // `option`: wt_options::misses_path; empty: $WARPTUNE_MISSES. "off": no file. `absent`: the path of the database that
  // does not exist yet; empty: the library has a database.
  ShapeCollector(const std::string& option, const std::filesystem::path& absent);

  // A new shape is in the file when this returns. Each process prints at most one message to stderr: where the file of
  // a first run is, or why there is none.
  void add(const KernelSpec& spec, const Problem& problem) noexcept;

  Result<void> write(const std::string& path); // writes all counts; empty path: to the collector's own file
  void close() noexcept;                       // writes all counts to the collector's file, if it has one

 private:
  void append();

  Misses misses_;
  std::filesystem::path path_, absent_; // path_ empty: no file
  bool is_named_ = false;               // whether the application or its user named the path
  std::atomic<bool> has_failed_{false}; // whether appending failed; write and close try again
};

} // namespace warptune
