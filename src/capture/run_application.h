// Runs an application together with the library that records its launches. The application inherits the input, output
// and working folder of this process.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct CaptureRun {
  std::vector<std::string> words; // the program, searched as a shell does, and its arguments
  std::filesystem::path library;  // libwarptune_capture.so
  std::filesystem::path records;  // the folder for the records; must exist
  std::string kernels; // regular expression: record the launches of these kernels; empty: record only device times
  std::int64_t contents = 0;     // bytes to copy of each buffer
  bool preload = true;           // false: sources that NVRTC compiles are not recorded
  bool output_to_stderr = false; // whether the application's stdout goes to stderr
};

struct ApplicationEnd {
  int exit_code = 0;
  int signal = 0; // 0: no signal ended the application
};

// Waits until the application ends. Meanwhile SIGINT and SIGQUIT affect only the application, and SIGTERM and SIGHUP
// are forwarded to it. Errors (bad_input): there is no such program, or another tool uses CUDA_INJECTION64_PATH.
Result<ApplicationEnd> run_application(const CaptureRun& run);

} // namespace warptune
