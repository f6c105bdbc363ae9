#include "worker/worker_start.h"

#include <string_view>

namespace warptune {
namespace {

constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES", kConnections = "CUDA_DEVICE_MAX_CONNECTIONS";

bool is_of(std::string_view variable, std::string_view name) {
  return variable.substr(0, name.size()) == name && variable.substr(name.size(), 1) == "=";
}

} // namespace

WorkerStart start_of_worker(const WorkerCommand& command, const std::string& only_device,
                            const char* const* environment) {
  WorkerStart start;
  const std::string device = only_device.empty() ? command.device : "cuda:0";
  start.arguments = {"warptune", "__worker", "--device", device, "--cache", command.cache_directory};
  bool has_connections = false; // the user's own setting is kept
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    has_connections |= is_of(variable, kConnections);
    if (only_device.empty() || !is_of(variable, kVisible)) start.environment.emplace_back(variable);
  }
  if (!only_device.empty()) start.environment.push_back(std::string(kVisible) + "=" + only_device);
  if (!has_connections) start.environment.push_back(std::string(kConnections) + "=1");
  return start;
}

} // namespace warptune
