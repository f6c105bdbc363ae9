#include "report/resource_times.h"

#include "report/bound.h"

#include <algorithm>

namespace warptune::report {
namespace {

// `roof`: work per microsecond.
void add(std::vector<ResourceTime>& all, ResourceTime time, double roof) {
  if (!(time.work > 0) || !(roof > 0)) return;
  time.busy_us = time.work / roof;
  all.push_back(std::move(time));
}

// The first word: types of tensor operations have different names in the model and in counters.
std::string family(const std::string& pipe) { return pipe.substr(0, pipe.find(' ')); }

void add_pipes(std::vector<ResourceTime>& all, const Work& work, const Roofs& roofs) {
  const auto add_pipe = [&](const std::string& pipe, double operations, bool counted) {
    add(all, {pipe, "op", operations, 0, counted}, pipe_roof_tflops(pipe, roofs) * 1e6);
  };
  using Pipe = std::pair<std::string, double>;
  const std::vector<Pipe> counted = work.counters ? work.counters->pipe_work : std::vector<Pipe>();
  for (const auto& [pipe, operations] : counted) add_pipe(pipe, operations, true);
  if (!work.cost) return;
  // A counter of 0 belongs to its pipe only; another type of the same family may not have been counted.
  const auto is_counted = [&](const std::string& pipe) {
    return std::any_of(counted.begin(), counted.end(), [&](const Pipe& one) {
      return one.first == pipe || (one.second > 0 && family(one.first) == family(pipe));
    });
  };
  for (const auto& [pipe, operations] : work.cost->flops)
    if (!is_counted(pipe)) add_pipe(pipe, operations, false);
}

} // namespace

std::vector<ResourceTime> resource_times(const Work& work, const DeviceInfo& device) {
  std::vector<ResourceTime> all;
  add_pipes(all, work, device.roofs);
  const CounterFacts counters = work.counters.value_or(CounterFacts());
  const CostEstimate traffic = dram_traffic(work.cost, counters, work.cold_l2);
  const bool counted = counters.dram_read_bytes || counters.dram_written_bytes;
  add(all,
      {"DRAM", "B", traffic.bytes_read + traffic.bytes_written, 0, counted, counted && !is_counted(traffic, counters)},
      dram_roof_gbs(traffic, device.roofs) * 1e3);
  add(all, {"L2", "B", counters.l2_bytes.value_or(0), 0, true}, device.roofs.l2_gbs * 1e3);
  add(all, {"L1/shared memory", "B", counters.l1_bytes.value_or(0) + counters.shared_bytes.value_or(0), 0, true},
      device.roofs.shared_gbs * 1e3);
  add(all, {"issue", "instructions", counters.instructions.value_or(0), 0, true},
      issue_roof(device, work.sm_clock_mhz));
  std::stable_sort(all.begin(), all.end(),
                   [](const ResourceTime& a, const ResourceTime& b) { return a.busy_us > b.busy_us; });
  return all;
}

std::vector<std::string> uncounted(const Work& work) {
  const CounterFacts counted = work.counters.value_or(CounterFacts());
  std::vector<std::string> missing;
  const auto need = [&](const char* name, bool is_known) {
    if (!is_known) missing.emplace_back(name);
  };
  need("DRAM", counted.dram_read_bytes && counted.dram_written_bytes);
  need("L2", counted.l2_bytes.has_value());
  need("L1", counted.l1_bytes.has_value());
  need("shared memory", counted.shared_bytes.has_value());
  need("operations", !counted.pipe_work.empty() || (work.cost && !work.cost->flops.empty()));
  need("instructions", counted.instructions.has_value());
  return missing;
}

} // namespace warptune::report
