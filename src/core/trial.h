// Trial: all that is known of one evaluated configuration. A failed candidate is data: its status says how it failed
// and `evidence` shows it.
#pragma once

#include "core/space.h"

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
  std::map<std::string, double> counters;
};

} // namespace warptune
