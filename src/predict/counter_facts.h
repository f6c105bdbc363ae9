// Converts a kernel's hardware counters to quantities of the roofline model: bytes per memory level, operations per
// pipe, shares. Pure; depends on the names of NVIDIA's metrics, but not on how they were read. A fact whose metrics are
// missing is absent.
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
  std::optional<double> shared_bytes; // moved through shared-memory banks, also by wgmma; bank conflicts increase it
  std::optional<double> l2_hit_share; // 0 to 1
  std::optional<double> warps_active_share;          // 0 to 1; this is the achieved occupancy
  std::optional<double> instructions;                // executed by warps
  std::vector<std::pair<std::string, double>> flops; // operations by pipe, as in CostEstimate (an FMA: 2); no zeros
  std::vector<std::pair<std::string, double>>
      stalls; // reason -> share of all warp cycles, largest first; only reasons for a wait
  // Like flops, but every instruction counts as an FMA, because it occupies its pipe as long as an FMA. 0: the pipe was
  // measured and was idle.
  std::vector<std::pair<std::string, double>> pipe_work;
};

// `counters`: the value of each metric over the whole launch sequence, as in Profile.
CounterFacts counter_facts(const std::map<std::string, double>& counters);

} // namespace warptune
