// The file to which this process appends its observations, one JSON object per line (docs/capture.md, "Records"). Each
// line is written with one system call, so all lines survive a crash or SIGKILL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::intercept {

class RecordFile {
 public:
  // Returns this process's file, which is created with its first line. A child process that is forked later writes
  // nothing.
  static RecordFile& get();

  // Appends a line. After a failed write (such as a full disk), nothing more is written.
  void line(std::string_view json);
  // Appends {"problem": sentence}; a repeated sentence is written only once.
  void problem(const std::string& sentence);
  // Writes a file next to the records and returns its name; empty if disk space is short or a write fails.
  std::string blob(std::string_view name, const void* bytes, std::size_t size);

 private:
  RecordFile() = default;
  bool open();

  int fd_ = -1;
  int pid_ = 0; // the process that opened the file
  bool is_closed_ = false;
  std::int64_t bytes_ = 0;
  std::string stem_, problems_;
};

} // namespace warptune::intercept
