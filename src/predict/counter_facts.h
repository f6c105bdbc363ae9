// What hardware counters say of a kernel, in the words of the roofline: bytes by level, operations by pipe, shares.
// Pure; knows the names of NVIDIA's metrics and nothing of how they were read. A fact whose metrics are missing is not
// there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct CounterFacts {
  std::optional<double> dram_read_bytes, dram_written_bytes;
  std::optional<double> l2_bytes;           // moved between the SMs and the L2
  std::optional<double> l1_bytes;           // asked of the L1 by loads and stores, shared memory not counted
  std::optional<double> shared_bytes;       // through the banks of shared memory, wgmma included; conflicts count again
  std::optional<double> l2_hit_share;       // 0 to 1
  std::optional<double> warps_active_share; // 0 to 1: achieved occupancy
  std::optional<double> instructions;       // executed by warps
  std::vector<std::pair<std::string, double>> flops; // by pipe as in CostEstimate, an FMA counts as two; zeros left out
  std::vector<std::pair<std::string, double>> stalls; // reason, share of all warps' cycles; largest first; waits alone
};

// `counters`: metric name -> value over the whole launch sequence, as in Profile.
CounterFacts counter_facts(const std::map<std::string, double>& counters);

} // namespace warptune
