// The command line and environment of a worker process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct WorkerCommand {
  std::filesystem::path executable; // empty: this program
  std::string device;
  std::string cache_directory;
  int niceness = 0; // above 0 for workers that should leave the cores to other processes
};

struct WorkerStart {
  std::vector<std::string> arguments;   // the first is the program's name
  std::vector<std::string> environment; // "NAME=value"
};

// `only_device`: UUID of the device that the process sees, as cuda:0; empty: it sees what this process sees.
// `environment`: of this process, as in `environ`.
//
// While a context is created or destroyed, the driver keeps other processes of the machine waiting, whatever device
// they use, so both should be short. On two H100, a context with the driver's default of 8 connections takes 122 ms to
// create and 104 ms to destroy, and one with a single connection 54 and 60 ms; a worker has one stream, so it needs no
// more. Before that, the driver is initialised in 130 ms if the process sees one device, and in 330 ms if it sees two.
WorkerStart start_of_worker(const WorkerCommand& command, const std::string& only_device,
                            const char* const* environment);

} // namespace warptune
