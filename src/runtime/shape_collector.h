// Decides which file gets a library's untuned shapes. The application or its user may name the file. Otherwise, in a
// first run without a database, the file is in the folder of the future database. If the file cannot be written,
// launches still succeed.
#pragma once

#include "runtime/misses.h"

#include <atomic>
#include <filesystem>
#include <string>

namespace warptune {

class ShapeCollector {
 public:
  // `option`: wt_options::misses_path; empty: use $WARPTUNE_MISSES; "off": no file. `absent`: the path where the
  // database will be, if it does not exist yet; empty: it exists.
  ShapeCollector(const std::string& option, const std::filesystem::path& absent);

  // When this function returns, a new shape is in the file. A process prints at most one message to stderr: the path of
  // the file in a first run, that an incomplete line was removed from the file, or why the file cannot be written.
  void add(const KernelSpec& spec, const Problem& problem) noexcept;

  Result<void> write(const std::string& path); // writes all counts; an empty path means the collector's own file
  void close() noexcept;                       // writes all counts to the collector's own file, if it has one

 private:
  void append();

  Misses misses_;
  std::filesystem::path path_, absent_; // path_: empty if there is no file
  bool is_named_ = false;               // whether the application or its user chose path_
  std::atomic<bool> has_failed_{false}; // appending failed; write and close try again
};

} // namespace warptune
