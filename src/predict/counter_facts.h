// Hardware counters of a kernel as quantities of the roofline: bytes by level, operations by pipe, shares. Pure;
// depends on the names of NVIDIA's metrics, but not on how they were read. A fact whose metrics are missing is absent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct CounterFacts {
  std::optional<double> dram_read_bytes, dram_written_bytes;
  std::optional<double> l2_bytes;     // bytes moved between the SMs and the L2
  std::optional<double> l1_bytes;     // bytes that loads and stores requested from the L1, without shared memory
  std::optional<double> shared_bytes; // bytes through shared-memory banks, including wgmma; bank conflicts add to it
  std::optional<double> l2_hit_share; // 0 to 1
  std::optional<double> warps_active_share;           // 0 to 1: achieved occupancy
  std::optional<double> instructions;                 // executed by warps
  std::vector<std::pair<std::string, double>> flops;  // operations by pipe as in CostEstimate (an FMA is two), no zeros
  std::vector<std::pair<std::string, double>> stalls; // share of all warp cycles by reason; largest first; only waits
  // Like flops, but each instruction counts as an FMA, because it keeps its pipe busy for as long. 0: the pipe was
  // counted and idle.
  std::vector<std::pair<std::string, double>> pipe_work;
};

// `counters`: the value of each metric over the whole launch sequence, as in Profile.
CounterFacts counter_facts(const std::map<std::string, double>& counters);

} // namespace warptune
