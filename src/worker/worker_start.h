// The command line and environment of a worker process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct WorkerCommand {
  std::filesystem::path executable; // empty: the running program
  std::string device;
  std::string cache_directory;
  int niceness = 0; // above 0 for workers that should give way to other processes
};

struct WorkerStart {
  std::vector<std::string> arguments;   // beginning with the program's name
  std::vector<std::string> environment; // "NAME=value"
};

// `only_device`: UUID of the only device that the process sees, as cuda:0; empty: it sees the same devices as this
// process. `environment`: the environment of this process, as in `environ`.
//
// While a process creates or destroys a context, the driver makes all other processes of the machine wait, even on
// other devices. So a worker uses one connection instead of the driver's default of 8. On a machine with two H100s,
// creating a context takes 122 ms with 8 connections and 54 ms with one; destroying it takes 104 ms with 8 and 60 ms
// with one. A worker has only one stream, so one connection is enough. The driver's initialisation takes 130 ms in a
// process that sees one device, and 330 ms in a process that sees two devices.
WorkerStart start_of_worker(const WorkerCommand& command, const std::string& only_device,
                            const char* const* environment);

} // namespace warptune
