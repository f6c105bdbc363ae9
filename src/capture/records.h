// What the library inside an application recorded (docs/capture.md, "Records"), read from its folder, even after a
// crash. Equal launches and programs of several processes are merged.
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
  bool has_cuda = false;    // it initialised CUDA
  bool has_ended = false;   // it exited normally, so its records are complete
  std::int64_t dropped = 0; // device times that CUPTI lost
  std::vector<std::string> problems;
};

// A compile by NVRTC.
struct CapturedProgram {
  std::string name, source;
  std::vector<std::pair<std::string, std::string>> headers; // name, text
  std::vector<std::string> options, images, kernels;        // images: ids; kernels: mangled names
  bool is_compiled = false;
};

struct CapturedBuffer {
  std::int64_t bytes = 0;         // from the pointer to the end of its allocation
  std::string memory;             // "device", "host", "managed"
  std::filesystem::path contents; // a file with the first bytes; empty: none
};

struct CapturedArgument {
  std::vector<unsigned char> value; // as passed; empty: unknown
  std::optional<CapturedBuffer> buffer;
};

struct DeviceTimes {
  std::int64_t calls = 0, ns = 0, min_ns = 0, max_ns = 0;
  void add(const DeviceTimes& other);
};

// Launches of one kernel that differ only in their pointers.
struct CapturedCase {
  std::string kernel, image; // the mangled name, the id of the code; an empty image: unknown
  std::array<std::int64_t, 3> grid{}, block{}, cluster{};
  std::int64_t shared = 0; // dynamic, bytes
  bool is_cooperative = false, is_graph = false;
  bool has_arguments = false;
  std::vector<CapturedArgument> arguments;
  DeviceTimes times;
};

struct CapturedKernel {
  std::string name; // mangled
  std::int64_t registers = 0;
  bool is_graph = false; // at least one launch is a node of a graph
  DeviceTimes times;
};

struct CaptureRecords {
  std::vector<CapturedProcess> processes;
  std::vector<CapturedProgram> programs;
  std::vector<CapturedCase> cases;     // by device time, longest first
  std::vector<CapturedKernel> kernels; // by device time, longest first
  std::int64_t skipped_lines = 0;      // unreadable lines, such as the last one of a killed process
};

// Error (bad_input): the folder cannot be read. Without records, all lists are empty.
Result<CaptureRecords> read_capture_records(const std::filesystem::path& folder);

} // namespace warptune
