// Hardware counters of a kernel as quantities of the roofline: bytes by level, operations by pipe, shares. Pure; knows
// the names of NVIDIA's metrics and nothing of how they were read. A fact whose metrics are missing is absent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct CounterFacts {
  std::optional<double> dram_read_bytes, dram_written_bytes;
  std::optional<double> l2_bytes;     // moved between the SMs and the L2
  std::optional<double> l1_bytes;     // requested from the L1 by loads and stores, without shared memory
  std::optional<double> shared_bytes; // through the banks of shared memory, wgmma included; bank conflicts count again
  std::optional<double> l2_hit_share; // 0 to 1
  std::optional<double> warps_active_share;           // 0 to 1: achieved occupancy
  std::optional<double> instructions;                 // executed by warps
  std::vector<std::pair<std::string, double>> flops;  // by pipe as in CostEstimate, an FMA counts as two; without zeros
  std::vector<std::pair<std::string, double>> stalls; // reason, share of all warps' cycles; largest first; only waits
};

// `counters`: metric name -> value over the whole launch sequence, as in Profile.
CounterFacts counter_facts(const std::map<std::string, double>& counters);

} // namespace warptune
