// Runs an application with the library that records its launches. It inherits the input, output and working folder of
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
  std::filesystem::path records;  // the folder for the records; must exist
  std::string kernels;            // a regular expression of the kernels to record; empty: only device times
  std::int64_t contents = 0;      // bytes of each buffer to copy
  bool preload = true;            // false: sources from NVRTC are not recorded
  bool output_to_stderr = false;  // the application's stdout goes to stderr
};

struct ApplicationEnd {
  int exit_code = 0;
  int signal = 0; // 0: it exited without a signal
};

// Waits until the application ends. SIGINT and SIGQUIT reach only the application; SIGTERM and SIGHUP are passed on to
// it. Errors (bad_input): no such program, or another tool uses CUDA_INJECTION64_PATH.
Result<ApplicationEnd> run_application(const CaptureRun& run);

} // namespace warptune
