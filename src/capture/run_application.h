// Runs an application with the library that records its launches. Its input, output and working folder are those of
// this process.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct CaptureRun {
  std::vector<std::string> words; // the program, found as a shell would find it, and its arguments
  std::filesystem::path library;  // libwarptune_capture.so
  std::filesystem::path records;  // the folder for what is recorded; must exist
  std::string kernels;            // a regular expression; empty: only device times
  std::int64_t contents = 0;      // bytes of each buffer to copy
  bool preload = true;            // false: without sources from NVRTC
  bool output_to_stderr = false;  // the application's stdout goes to stderr
};

struct ApplicationEnd {
  int exit_code = 0;
  int signal = 0; // 0: it exited
};

// Waits for its end. SIGINT and SIGQUIT go to the application only; SIGTERM and SIGHUP are passed on. Errors
// (bad_input): no such program, or CUDA_INJECTION64_PATH is taken by another tool.
Result<ApplicationEnd> run_application(const CaptureRun& run);

} // namespace warptune
