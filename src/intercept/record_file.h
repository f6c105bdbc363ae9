// The file to which this process appends what it observes, one JSON object per line (docs/capture.md, "Records"). Each
// line is one write, so everything written before a crash or SIGKILL is readable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::intercept {

class RecordFile {
 public:
  // Returns this process's file, which is created with the first line. A process forked after that writes nothing.
  static RecordFile& get();

  // Appends a line. After the first failed write (a full disk), nothing more is written.
  void line(std::string_view json);
  // Appends {"problem": sentence}, each sentence once.
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
