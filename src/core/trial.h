// Trial: all that is known of one evaluated configuration. A failed candidate is data: its status says how it failed
// and `evidence` shows it.
#pragma once

#include "core/config.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

enum class TrialStatus { ok, invalid, compile_failed, launch_failed, timed_out, crashed, wrong_result, unstable };
std::string_view status_name(TrialStatus s);
std::optional<TrialStatus> parse_status(std::string_view name);

struct KernelResources {
  int registers = 0, spill_bytes = 0, static_shared_bytes = 0;
  double occupancy = 0;
}; // of the largest launch

struct Timing {
  double median_us = 0, ci_low_us = 0, ci_high_us = 0; // 95 % confidence interval of the median (order statistics)
  double min_us = 0, rel_iqr = 0;
  std::vector<float> samples_us;
  bool cold_l2 = true;
  bool complete = true;                                    // false: dropped early by racing
  double sm_clock_mhz = 0, temperature_c = 0, power_w = 0; // 0: not known
};

struct Verdict {
  bool correct = false;
  double max_abs_error = 0, max_rel_error = 0, worst_ratio = 0; // worst_ratio: error over its tolerance; > 1 is wrong
  std::int64_t mismatches = 0, worst_index = -1;
  std::string worst_buffer, detail; // detail: one sentence for a wrong result
};

// What the hardware counted in runs of their own, never in a timed one.
struct Profile {
  std::map<std::string, double> counters; // metric ("dram__bytes_read.sum") -> value over the whole launch sequence
  std::string source;                     // "CUPTI 13.0"
  int passes = 0;                         // how often it ran for that
  bool cold_l2 = true;
};

// Of a run of many launch sequences back to back, long enough for the sensor. The L2 is as the one before left it.
struct PowerReading {
  double energy_mj = 0;                                      // of one launch sequence, in millijoules
  double average_w = 0, sm_clock_mhz = 0, temperature_c = 0; // of the device; clock and temperature 0: not known
  std::uint64_t throttle_reasons = 0;                        // NVML's bits, of any time in the run
  std::int64_t launches = 0;
  double window_ms = 0;
};

struct Trial {
  Config config;
  ConfigIndex index = -1;
  TrialStatus status = TrialStatus::invalid;
  std::string evidence;   // error text, compiler log, worst index; empty when ok
  std::string cubin_hash; // content address in the cubin cache; empty when none
  KernelResources resources;
  double compile_ms = 0, verify_ms = 0, measure_ms = 0;
  std::optional<Verdict> verdict;
  std::optional<Timing> timing;
  std::optional<Profile> profile;
  std::optional<PowerReading> power;
};

} // namespace warptune
