// Reads the text that compute-sanitizer prints: its errors, with their places in the sources. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A place as the tool prints it: "scale(float *)+0x120 in kernel.cu:12"; without line information "scale(float
// *)+0x120"; in older versions "0x120 in kernel.cu:12:scale(float *)".
struct SanitizerPlace {
  std::string function, file; // `file` empty: not known
  int line = 0;
};

struct SanitizerError {
  std::string what;                   // "Invalid __global__ read of size 4 bytes", "Race between a write and a read"
  std::vector<SanitizerPlace> places; // where it happened, then the callers of inlined functions; for a race, all sides
  std::string detail;                 // "Access to 0x7f1 is out of bounds; and is 1 bytes after ..."; may be empty
  std::int64_t count = 1;             // errors at this place; for a race, hazards
};

struct SanitizerReport {
  std::vector<SanitizerError> errors; // without duplicates, in order of first occurrence
  std::int64_t unprinted = 0;         // errors beyond the tool's limit
  bool is_complete = false;           // whether the tool printed its summary
  bool target_failed = false;         // the examined program was killed, or exited with an error
  std::vector<std::string> problems;  // sentences of the tool about itself: "Error: No attachable process found..."
};

// `text` may contain other output between the tool's lines, which begin with "=========". Errors of CUDA API calls are
// left out: they follow from a kernel error, or the program reports them itself.
SanitizerReport parse_sanitizer_report(std::string_view text);

} // namespace warptune
