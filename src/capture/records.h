// Reads the records that the library inside an application wrote to a folder (docs/capture.md, "Records"), even after a
// crash. Launches and programs that are equal in several processes are merged.
#pragma once

#include "core/result.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

// A process that used CUDA or NVRTC.
struct CapturedProcess {
  std::int64_t pid = 0;
  std::string program;
  bool has_cuda = false;    // whether the process initialised CUDA
  bool has_ended = false;   // whether the process exited normally, so that its records are complete
  std::int64_t dropped = 0; // number of device times that CUPTI lost
  std::vector<std::string> problems;
};

// A compile by NVRTC.
struct CapturedProgram {
  std::string name, source;
  std::vector<std::pair<std::string, std::string>> headers; // name, text
  std::vector<std::string> options, images,
      kernels; // images: ids of the compiled cubins or PTX; kernels: mangled names
  bool is_compiled = false;
};

struct CapturedBuffer {
  std::int64_t bytes = 0;         // from the pointer to the end of its allocation
  std::string memory;             // "device", "host", "managed"
  std::filesystem::path contents; // a file with the buffer's first bytes; empty: none
};

struct CapturedArgument {
  std::vector<unsigned char> value; // the argument's bytes, as passed; empty: unknown
  std::optional<CapturedBuffer> buffer;
};

struct DeviceTimes {
  std::int64_t calls = 0, ns = 0, min_ns = 0, max_ns = 0;
  void add(const DeviceTimes& other);
};

// Launches of one kernel that differ only in their pointers.
struct CapturedCase {
  std::string kernel, image; // kernel: mangled name; image: id of the code, empty if unknown
  std::array<std::int64_t, 3> grid{}, block{}, cluster{};
  std::int64_t shared = 0; // bytes of dynamic shared memory
  bool is_cooperative = false, is_graph = false;
  bool has_arguments = false;
  std::vector<CapturedArgument> arguments;
  DeviceTimes times;
};

struct CapturedKernel {
  std::string name; // mangled
  std::int64_t registers = 0;
  bool is_graph = false; // whether at least one launch is a node of a graph
  DeviceTimes times;
};

struct CaptureRecords {
  std::vector<CapturedProcess> processes;
  std::vector<CapturedProgram> programs;
  std::vector<CapturedCase> cases;     // longest device time first
  std::vector<CapturedKernel> kernels; // longest device time first
  std::int64_t skipped_lines = 0;      // lines that could not be read, such as the last line of a killed process
};

// Error (bad_input): the folder cannot be read. A folder without records gives empty lists.
Result<CaptureRecords> read_capture_records(const std::filesystem::path& folder);

} // namespace warptune
