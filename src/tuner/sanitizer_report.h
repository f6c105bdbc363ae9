// Reads the errors that compute-sanitizer prints, with their places in the sources. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A place as the tool prints it: "scale(float *)+0x120 in kernel.cu:12"; without line information "scale(float
// *)+0x120"; in older versions "0x120 in kernel.cu:12:scale(float *)".
struct SanitizerPlace {
  std::string function, file; // `file` is empty if not known
  int line = 0;
};

struct SanitizerError {
  std::string what; // "Invalid __global__ read of size 4 bytes", "Race between a write and a read"
  std::vector<SanitizerPlace>
      places;             // the place, then the callers of inlined functions; for a race, the places of all accesses
  std::string detail;     // "Access to 0x7f1 is out of bounds; and is 1 bytes after ..."; may be empty
  std::int64_t count = 1; // number of errors (for a race: of hazards) at this place
};

struct SanitizerReport {
  std::vector<SanitizerError> errors; // without duplicates, in the order of first occurrence
  std::int64_t unprinted = 0;         // number of errors that the tool did not print because of its limit
  bool is_complete = false;           // whether the tool printed its summary
  bool target_failed = false;         // whether the examined program was killed or exited with an error
  std::vector<std::string> problems;  // what the tool says about itself: "Error: No attachable process found..."
};

// `text` may have other output between the tool's lines, which begin with "=========". Errors of CUDA API calls are
// left out, because they follow from a kernel's error, or the program reports them itself.
SanitizerReport parse_sanitizer_report(std::string_view text);

} // namespace warptune
