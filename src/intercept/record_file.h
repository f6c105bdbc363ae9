// The file to which this process appends what it observes, one JSON object per line (docs/capture.md, "Records"). Each
// line is one write, so everything that was written before a crash or SIGKILL can be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::intercept {

class RecordFile {
 public:
  // The file of this process; made with the first line. A process that was forked after that writes nothing.
  static RecordFile& get();

  // Appends a line. After the first failed write (a full disk), nothing more is written.
  void line(std::string_view json);
  // Appends {"problem": sentence}, each sentence once.
  void problem(const std::string& sentence);
  // Writes a file beside the records and returns its name; empty if the disk has too little room or a write fails.
  std::string blob(std::string_view name, const void* bytes, std::size_t size);

 private:
  RecordFile() = default;
  bool open();

  int fd_ = -1;
  int pid_ = 0; // of the process that opened the file
  bool is_closed_ = false;
  std::int64_t bytes_ = 0;
  std::string stem_, problems_;
};

} // namespace warptune::intercept
