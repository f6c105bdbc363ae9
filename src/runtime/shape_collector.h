// Where a library's untuned shapes go: a file that the application or its user names, or, in an application's first
// run, which finds no database, one beside where the database will be. No failure of it is one of a launch.
#pragma once

#include "runtime/misses.h"

#include <atomic>
#include <filesystem>
#include <string>

namespace warptune {

class ShapeCollector {
 public:
  // `option`: wt_options::misses_path; empty: $WARPTUNE_MISSES. "off": no file. `absent`: the database that the library
  // runs without; empty: it has one.
  ShapeCollector(const std::string& option, const std::filesystem::path& absent);

  // When it is first seen it is in the file before this returns. The first line that the user must see, of whichever
  // library, goes to stderr: where the file of a first run is, or why there is none.
  void add(const KernelSpec& spec, const Problem& problem) noexcept;

  Result<void> write(const std::string& path); // with all counts; empty: to the file of this
  void close() noexcept;                       // the same, where there is a file

 private:
  void append();

  Misses misses_;
  std::filesystem::path path_, absent_; // path_ empty: nowhere
  bool is_named_ = false;               // by the application or its user
  std::atomic<bool> has_failed_{false}; // appending; write and close try again
};

} // namespace warptune
